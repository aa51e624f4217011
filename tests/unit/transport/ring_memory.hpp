// A ring in its own memory with both ends attached, and frames that contain one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "laxity/transport/ring_shape.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity::testing {

template <class Ring>
class RingMemory {
 public:
  explicit RingMemory(RingShape shape, std::optional<std::uint64_t> start = std::nullopt)
      : memory_(static_cast<std::byte*>(std::aligned_alloc(64, detail::round_up(Ring::bytes_needed(shape), 64)))) {
    if (start) {
      Ring::initialize(memory_.get(), shape, *start);
    } else {
      Ring::initialize(memory_.get(), shape);
    }
    attach_sender();
    attach_receiver();
  }

  void attach_sender() { sender.emplace(memory_.get()); }
  void attach_receiver() { receiver.emplace(memory_.get()); }

  /// Sends a frame that begins with `number`; false if refused.
  bool send(std::uint64_t number) {
    std::byte* room = sender->try_claim();
    if (room == nullptr) return false;
    std::memcpy(room, &number, sizeof number);
    sender->publish(sizeof number);
    return true;
  }
  /// The number in the frame shown; 0 for the empty frame at the start.
  [[nodiscard]] std::uint64_t shown() const {
    std::uint64_t number = 0;
    if (receiver->frame().size() == sizeof number) std::memcpy(&number, receiver->frame().data(), sizeof number);
    return number;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;

 public:
  std::optional<typename Ring::Sender> sender;
  std::optional<typename Ring::Receiver> receiver;
};

}  // namespace laxity::testing
