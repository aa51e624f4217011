// Events from other workers that wait outside event memory because it is short, earliest first.
//
// They are bounded by the event memory of their senders, which keep a stub of each. Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"

namespace laxity::timewarp {

/// A parked event; the ticket tells it from all others that are parked.
template <class M>
struct OverflowMessage {
  std::size_t channel;
  std::uint32_t ticket;
  Message<M> message;
};

template <class M>
class OverflowQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] const Key& least() const noexcept { return heap_.front().message.key; }

  void push(const OverflowMessage<M>& parked) {
    heap_.push_back(parked);
    std::push_heap(heap_.begin(), heap_.end(), Later{});
  }

  [[nodiscard]] OverflowMessage<M> pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    const OverflowMessage<M> earliest = heap_.back();
    heap_.pop_back();
    return earliest;
  }

  /// A search through all: memory is short, and it is rare.
  void cancel(std::uint32_t ticket) {
    const auto found =
        std::find_if(heap_.begin(), heap_.end(), [ticket](const auto& parked) { return parked.ticket == ticket; });
    LAXITY_CHECK(found != heap_.end());
    *found = heap_.back();
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
