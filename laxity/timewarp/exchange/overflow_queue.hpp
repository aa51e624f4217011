// Events from other workers that found no free record in event memory, in the order of keys.
//
// Refusing such a message instead could block the anti-message behind it that would free records. The queue is bounded
// by the memory of the worker (memory_pressure.hpp), of which it asks the others to send no further ahead.
//
// Threads: one. Elsewhere: when events enter and leave the queue (received_events.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

template <class M>
struct OverflowMessage {
  std::size_t channel;
  std::uint32_t ticket;  ///< unique among the messages in the queue
  Message<M> message;
};

template <class M>
class OverflowQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return heap_.size() * sizeof(OverflowMessage<M>); }
  /// The least key; the queue must not be empty.
  [[nodiscard]] const Key& least() const noexcept { return heap_.front().message.key; }

  void push(const OverflowMessage<M>& added) {
    heap_.push_back(added);
    std::push_heap(heap_.begin(), heap_.end(), Later{});
  }

  /// Removes the message with the least key.
  [[nodiscard]] OverflowMessage<M> pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    const OverflowMessage<M> first = heap_.back();
    heap_.pop_back();
    return first;
  }

  /// Removes the message with this ticket. Linear in the size of the queue: this is rare.
  void cancel(std::uint32_t ticket) {
    const auto canceled =
        std::find_if(heap_.begin(), heap_.end(), [ticket](const auto& message) { return message.ticket == ticket; });
    LAXITY_CHECK(canceled != heap_.end());
    *canceled = heap_.back();
    heap_.pop_back();
    std::make_heap(heap_.begin(), heap_.end(), Later{});
  }

 private:
  struct Later {
    bool operator()(const auto& a, const auto& b) const noexcept { return b.message.key < a.message.key; }
  };

  std::vector<OverflowMessage<M>> heap_;
};

}  // namespace laxity::timewarp
