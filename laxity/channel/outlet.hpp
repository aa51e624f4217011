// The receiving end of a channel.
//
// Source: Moreno, Rodriguez Papa, Ofria, Conduit: a C++ library for best-effort high performance computing (2021),
//   section 2.
// Invariants: what get() shows never changes between two pulls; messages are shown in the order of their puts.
// Threads: one thread owns an outlet. Any thread may read its counters.
// Elsewhere: the sending end (inlet.hpp), making both (channel.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/wait.hpp"
#include "laxity/check.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/delay.hpp"

namespace laxity {

/// Shows one message at a time. A pull (try_step, step, jump and the functions that call them) moves to a later one; it
/// throws DamagedFrame if what arrives has a length that no message has.
template <Payload T, Receiver R = AnyReceiver>
class Outlet {
 public:
  using value_type = T;

  explicit Outlet(R receiver, T initial = T{}) : receiver_(std::move(receiver)), value_(std::move(initial)) {}

  /// Moves forward by at most `limit` messages and shows the last of them. Returns the number of messages moved; 0 if
  /// none has arrived, or the limit is 0.
  std::size_t try_step(std::size_t limit = 1) {
    if (limit == 0) [[unlikely]] {
      count(0);
      return 0;  // without a look at the transports: a switch must not take a limit of 0 for an empty transport
    }
    return pull([limit](auto& receiver) { return receiver.try_step(limit); });
  }

  /// Blocks until the next message arrives and shows it. Counts one pull.
  void step() {
    step([] { return false; });
  }

  /// Blocks until the next message arrives and shows it, or give_up() returns true. Returns whether one has arrived.
  /// Counts one pull.
  template <class GiveUp>
  bool step(GiveUp&& give_up) {
    std::size_t moved = 0;
    detail::wait_until(
        [&] { return (moved = advance([](auto& receiver) { return receiver.try_step(1); })) != 0 || give_up(); });
    count(moved);
    return moved != 0;
  }

  /// Moves to the newest message. Returns the number of messages moved, including skipped ones.
  std::size_t jump() {
    return pull([](auto& receiver) { return receiver.jump(); });
  }

  /// The current message, or the initial value before the first. A reference stays valid until the next pull.
  [[nodiscard]] const T& get() const noexcept {
    if constexpr (InPlacePayload<T>) {
      return shown_ != nullptr ? *reinterpret_cast<const T*>(shown_) : value_;
    } else {
      return value_;
    }
  }

  const T& jump_get() {
    jump();
    return get();
  }

  /// Blocks until the next message arrives and returns it.
  const T& get_next() {
    step();
    return get();
  }

  std::optional<T> next_or_nullopt() {
    if (try_step() == 0) return std::nullopt;
    return get();
  }

  /// Receives through `receiver` once the inlet has switched to its sender. Messages accepted by the old transport are
  /// shown first, in order. The ends need not agree on a moment. At most one switch may be in progress. Throws
  /// UsageError, and stays where it is, if the transport that it would leave delays frames: the first frame of the new
  /// transport then does not prove that the old one has delivered all of its own.
  void switch_transport(R receiver) {
    LAXITY_CHECK(!next_);
    detail::require_no_delay(receiver_);
    next_ = std::move(receiver);
  }
  /// Whether a switch is in progress: no message of the new transport has been shown.
  [[nodiscard]] bool is_switching() const noexcept { return next_.has_value(); }

  /// Counts in `counters`, which may lie in shared memory, instead of the outlet's own.
  void count_in(OutletCounters& counters) noexcept { counters_ = &counters; }
  [[nodiscard]] const OutletCounters& counters() const noexcept { return *counters_; }

 private:
  template <class Move>
  std::size_t pull(Move&& move) {
    const std::size_t moved = advance(move);
    count(moved);
    return moved;
  }

  void count(std::size_t moved) noexcept {
    counters_->count_pull(moved);
    if (moved == 0) return;
    if (const auto superseded = superseded_before_ + receiver_.superseded(); superseded != 0)
      counters_->superseded.set(superseded);
  }

  template <class Move>
  std::size_t advance(Move&& move) {
    if (next_) [[unlikely]]
      return advance_between_transports(move);
    const std::size_t moved = move(receiver_);
    if (moved != 0) show(receiver_.frame());
    return moved;
  }

  // The inlet leaves the old transport before it publishes in the new one. So once the new transport has a frame, the
  // old one holds everything that it will ever hold: it is drained once more before the new frame is shown.
  template <class Move>
  std::size_t advance_between_transports(Move&& move) {
    std::size_t moved = move(receiver_);
    if (moved == 0) {
      if (!next_has_frame_) next_has_frame_ = next_->try_step(1) != 0;
      if (!next_has_frame_) return 0;
      moved = move(receiver_);
    }
    if (moved != 0) {
      show(receiver_.frame());
      return moved;
    }
    superseded_before_ += receiver_.superseded();
    receiver_ = std::move(*next_);
    next_.reset();
    next_has_frame_ = false;
    show(receiver_.frame());
    return 1;
  }

  void show(std::span<const std::byte> frame) {
    if constexpr (requires { Codec<T>::fixed_bytes; })
      detail::require_frame_bytes(frame, Codec<T>::fixed_bytes);
    else if (frame.data() == nullptr)
      detail::fail_frame("its length exceeds the room of a frame");
    if constexpr (InPlacePayload<T>) {
      shown_ = frame.data();
    } else {
      Codec<T>::decode(frame, value_);
    }
  }

  R receiver_;
  std::optional<R> next_;        // the new transport, while a switch is in progress
  bool next_has_frame_ = false;  // next_ shows its first frame, which is not counted yet
  std::uint64_t superseded_before_ = 0;
  T value_;  // the initial value; for payloads that are not read in place, the current message
  const std::byte* shown_ = nullptr;
  std::unique_ptr<OutletCounters> own_counters_ = std::make_unique<OutletCounters>();
  OutletCounters* counters_ = own_counters_.get();
};

}  // namespace laxity
