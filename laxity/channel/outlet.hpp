// The receiving end of a channel.
//
// Source: Moreno, Rodriguez Papa, Ofria, Conduit: a C++ library for best-effort high performance computing (2021),
// section 2. Invariants: what get() shows never changes between two pulls; messages are shown in the order in which
// they were put. Threads: one thread owns an outlet. Its counters may be read by any. Elsewhere: the sending end
// (inlet.hpp), making both (channel.hpp).
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/wait.hpp"
#include "laxity/check.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

/// Shows one message at a time; pulls move on to a later one. A pull is any try_step, step, jump or their combinations.
template <Payload T, Receiver R = AnyReceiver>
class Outlet {
 public:
  using value_type = T;

  explicit Outlet(R receiver, T initial = T{}) : receiver_(std::move(receiver)), value_(std::move(initial)) {}

  /// Moves on by at most `limit` messages and shows the one it stops at. Returns how many it moved; 0: nothing new
  /// came.
  std::size_t try_step(std::size_t limit = 1) {
    return pull([limit](auto& receiver) { return receiver.try_step(limit); });
  }

  /// Waits for the next message. Counts one pull.
  void step() {
    std::size_t moved = 0;
    detail::wait_until([&] { return (moved = advance([](auto& receiver) { return receiver.try_step(1); })) != 0; });
    count(moved);
  }

  /// Moves to the newest message. Returns how many it moved, those passed over included.
  std::size_t jump() {
    return pull([](auto& receiver) { return receiver.jump(); });
  }

  /// The message shown: the initial value before any came. A reference stays valid until the next pull.
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

  /// Waits for the next message and returns it.
  const T& get_next() {
    step();
    return get();
  }

  std::optional<T> next_or_nullopt() {
    if (try_step() == 0) return std::nullopt;
    return get();
  }

  /// Messages will come through `receiver` once the inlet has moved too. Everything accepted before is shown first, in
  /// order; no agreement between the ends is needed, each moves when it likes. At most one move may be under way.
  void switch_transport(R receiver) {
    LAXITY_CHECK(!next_);
    next_ = std::move(receiver);
  }
  /// Whether a move is under way: nothing has been shown from the new home yet.
  [[nodiscard]] bool is_switching() const noexcept { return next_.has_value(); }

  /// Counts into memory that others can see, instead of the outlet's own.
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

  // The inlet leaves the old home before it publishes in the new one. So once a frame is seen in the new home,
  // everything that the old one will ever hold is already there: drain it once more, and only then show the new frame.
  template <class Move>
  std::size_t advance_between_transports(Move&& move) {
    std::size_t moved = move(receiver_);
    if (moved == 0) {
      if (!next_laden_) next_laden_ = next_->try_step(1) != 0;
      if (!next_laden_) return 0;
      moved = move(receiver_);
    }
    if (moved != 0) {
      show(receiver_.frame());
      return moved;
    }
    superseded_before_ += receiver_.superseded();
    receiver_ = std::move(*next_);
    next_.reset();
    next_laden_ = false;
    show(receiver_.frame());
    return 1;
  }

  void show(std::span<const std::byte> frame) {
    if constexpr (InPlacePayload<T>) {
      shown_ = frame.data();
    } else {
      Codec<T>::decode(frame, value_);
    }
  }

  R receiver_;
  std::optional<R> next_;    // the new home, while a move is under way
  bool next_laden_ = false;  // next_ shows its first frame already, not yet counted
  std::uint64_t superseded_before_ = 0;
  T value_;  // the initial value; for payloads that are not read in place the message shown
  const std::byte* shown_ = nullptr;
  std::unique_ptr<OutletCounters> own_counters_ = std::make_unique<OutletCounters>();
  OutletCounters* counters_ = own_counters_.get();
};

}  // namespace laxity
