// The sending end of a channel.
//
// Source: Moreno, Rodriguez Papa, Ofria, Conduit: a C++ library for best-effort high performance computing (2021),
//   section 2.
// Threads: one thread owns an inlet. Any thread may read its counters.
// Elsewhere: the receiving end (outlet.hpp), making both (channel.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/wait.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/delay.hpp"

namespace laxity {

/// Accepts messages of type T. Only put() blocks.
template <Payload T, Sender S = AnySender>
class Inlet {
 public:
  using value_type = T;

  explicit Inlet(S sender, bool send_on_change = false) : sender_(std::move(sender)), send_on_change_(send_on_change) {
    reserve();
  }

  /// Queues a message or refuses at once. A refusal is counted and may be ignored. With send_on_change an unchanged
  /// message counts as accepted and is not sent. Throws PayloadTooLarge for a message above the channel's maximum.
  bool try_put(const T& message) {
    check_size(message);
    counters_->attempted.add();
    if (send_on_change_ && unchanged(message)) return true;
    if (send(message)) return true;
    counters_->refused.add();
    return false;
  }

  /// Blocks until the message is queued. Counts one attempt.
  void put(const T& message) {
    put(message, [] { return false; });
  }

  /// Blocks until the message is queued, or give_up() returns true. Returns whether it was queued; false is counted as
  /// refused.
  template <class GiveUp>
  bool put(const T& message, GiveUp&& give_up) {
    check_size(message);
    counters_->attempted.add();
    if (send_on_change_ && unchanged(message)) return true;
    bool sent = false;
    detail::wait_until([&] { return (sent = send(message)) || give_up(); });
    if (!sent) counters_->refused.add();
    return sent;
  }

  /// Returns memory for the next message inside the frame, to be filled before publish_claimed(). Returns nullptr and
  /// counts a refusal if there is no room.
  [[nodiscard]] T* try_claim() noexcept
    requires InPlacePayload<T>
  {
    claimed_ = sender_.try_claim();
    if (claimed_ == nullptr) {
      counters_->attempted.add();
      counters_->refused.add();
    }
    return reinterpret_cast<T*>(claimed_);
  }

  /// Sends the message that the last try_claim() made room for. With send_on_change an unchanged message counts as
  /// accepted and is not sent, as in try_put().
  void publish_claimed() noexcept
    requires InPlacePayload<T>
  {
    counters_->attempted.add();
    if (send_on_change_) {
      if (is_last_sent({claimed_, sizeof(T)})) return counters_->unchanged.add();
      remember({claimed_, sizeof(T)});
    }
    sender_.publish(sizeof(T));
  }

  /// Does nothing: a channel without packing sends every message at its put. Gives all inlets the same interface.
  bool try_flush() noexcept { return true; }
  void flush() noexcept {}

  /// Sends through `sender` from the next put on. Nothing is lost if the outlet switches to the receiver of the same
  /// transport, earlier or later. Throws UsageError, and stays where it is, if the transport that it would leave delays
  /// frames.
  void switch_transport(S sender) {
    detail::require_no_delay(sender_);
    sender_ = std::move(sender);
    reserve();
  }

  /// Counts in `counters`, which may lie in shared memory, instead of the inlet's own.
  void count_in(InletCounters& counters) noexcept { counters_ = &counters; }
  [[nodiscard]] const InletCounters& counters() const noexcept { return *counters_; }

 private:
  void check_size(const T& message) const {
    if constexpr (!requires { Codec<T>::fixed_bytes; }) {
      if (Codec<T>::bytes(message) > sender_.frame_capacity())
        throw PayloadTooLarge(Codec<T>::bytes(message), sender_.frame_capacity());
    }
  }

  // Room for the largest message, so that no put allocates.
  void reserve() {
    if (!send_on_change_) return;
    last_sent_.reserve(sender_.frame_capacity());
    if (encoded_.size() * 8 < sender_.frame_capacity()) encoded_.resize((sender_.frame_capacity() + 7) / 8);
  }

  bool send(const T& message) {
    std::byte* room = sender_.try_claim();
    if (room == nullptr) return false;
    const std::size_t bytes = Codec<T>::bytes(message);
    Codec<T>::encode(message, room);
    if (send_on_change_) remember({room, bytes});
    sender_.publish(bytes);
    return true;
  }

  bool unchanged(const T& message) {
    const std::size_t bytes = Codec<T>::bytes(message);
    if (!sent_before_ || bytes != last_sent_.size()) return false;
    auto* room = reinterpret_cast<std::byte*>(encoded_.data());
    Codec<T>::encode(message, room);
    if (!is_last_sent({room, bytes})) return false;
    counters_->unchanged.add();
    return true;
  }

  [[nodiscard]] bool is_last_sent(std::span<const std::byte> message) const noexcept {
    return sent_before_ && std::ranges::equal(message, last_sent_);
  }
  void remember(std::span<const std::byte> message) noexcept {
    last_sent_.assign(message.begin(), message.end());
    sent_before_ = true;
  }

  S sender_;
  std::unique_ptr<InletCounters> own_counters_ = std::make_unique<InletCounters>();
  InletCounters* counters_ = own_counters_.get();
  std::byte* claimed_ = nullptr;  // the room that try_claim() returned
  bool send_on_change_;
  bool sent_before_ = false;
  std::vector<std::byte> last_sent_;
  std::vector<std::uint64_t> encoded_;  // 8-byte aligned buffer for the comparison
};

}  // namespace laxity
