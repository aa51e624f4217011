// Fault injection: loss, delay, reordering, stalls and freezes over any transport, drawn from a seed.
//
// For tests, and for users who want to know what their program tolerates. Both ends are wrapped: the sender draws the
// faults of each frame and writes the time at which it is due in front of the payload; the receiver holds a frame until
// then. All draws are made by the sender, one set per published frame, so the same frames at the same times have the
// same faults.
//
// Accounting stays exact: published = moved past by the receiver + superseded + lost + in flight, where frames held by
// the receiver are in flight (held()).
//
// Invariants: without overtaking, order is kept. A frame shown is a copy that does not change before the next move.
// Contract: a held frame has left the underlying transport, so a link accepts up to `overtaking` frames more.
// Threads: as the underlying transport. The clock is a parameter: a real one, or virtual time in a replay.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/transport/delay.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity {

/// The faults of a link. The default is none.
struct Faults {
  double loss = 0;                   ///< probability that a frame is lost, in [0, 1]
  std::int64_t delay_ns = 0;         ///< minimum delay of every frame
  std::int64_t delay_spread_ns = 0;  ///< maximum of an additional delay, uniformly distributed
  std::size_t overtaking = 1;        ///< maximum number of frames in flight, each with its own delay; 1 keeps the order
  double stall = 0;                  ///< probability that the link stalls at a frame, in [0, 1]
  std::int64_t stall_ns = 0;         ///< duration of a stall, during which no frame is due
  std::int64_t freeze_from_ns = std::numeric_limits<std::int64_t>::max();   ///< from this time on nothing arrives ...
  std::int64_t freeze_until_ns = std::numeric_limits<std::int64_t>::max();  ///< ... until this time

  [[nodiscard]] bool lose_nothing() const noexcept { return loss == 0; }
  [[nodiscard]] bool keep_order() const noexcept { return overtaking == 1; }
  /// Whether a frame may arrive later than it was published.
  [[nodiscard]] bool delay_frames() const noexcept {
    return delay_ns != 0 || delay_spread_ns != 0 || stall != 0 ||
           freeze_from_ns != std::numeric_limits<std::int64_t>::max();
  }
};

/// Bytes that an impaired link uses of each frame of the underlying transport.
inline constexpr std::size_t impairment_bytes = 16;

namespace detail {

struct FaultHeader {
  std::int64_t due_ns;
  std::uint64_t number;  // of the frame, in the order of publishing
};
static_assert(sizeof(FaultHeader) == impairment_bytes);

template <class C>
concept TellsTime = requires(const C& clock) {
  { clock.now_ns() } -> std::convertible_to<std::int64_t>;
};

/// Throws UsageError naming the invalid fault.
inline void require_valid(const Faults& faults) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError("faults: " + what);
  };
  require(faults.loss >= 0 && faults.loss <= 1, "loss must be in [0, 1], is " + std::to_string(faults.loss));
  require(faults.stall >= 0 && faults.stall <= 1, "stall must be in [0, 1], is " + std::to_string(faults.stall));
  require(faults.delay_ns >= 0 && faults.delay_spread_ns >= 0 && faults.stall_ns >= 0, "times must not be negative");
  require(faults.overtaking >= 1, "overtaking is the maximum number of frames in flight, must be at least 1");
}

}  // namespace detail

/// Counts of an impaired sender.
struct SenderFaultCounts {
  std::uint64_t published = 0;  ///< frames passed to publish(), including lost ones
  std::uint64_t lost = 0;
  std::uint64_t delayed = 0;  ///< due later than published
  std::uint64_t stalls = 0;   ///< stalls begun
};

template <Sender S, detail::TellsTime Clock>
class ImpairedSender {
 public:
  static constexpr bool lossless = false;  // known at run time only: is_lossless()

  /// Throws UsageError for an invalid fault, or frames have no room for impairment_bytes.
  ImpairedSender(S sender, const Faults& faults, std::uint64_t seed, Clock clock)
      : sender_(std::move(sender)), faults_(faults), random_(seed), clock_(std::move(clock)) {
    detail::require_valid(faults);
    if (sender_.frame_capacity() < impairment_bytes) {
      throw UsageError("an impaired link needs frames of at least " + std::to_string(impairment_bytes) +
                       " bytes, has " + std::to_string(sender_.frame_capacity()));
    }
  }

  [[nodiscard]] bool is_lossless() const noexcept { return S::lossless && faults_.lose_nothing(); }
  [[nodiscard]] bool delays() const noexcept { return faults_.delay_frames() || laxity::delays(sender_); }
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return sender_.frame_capacity() - impairment_bytes; }

  [[nodiscard]] std::byte* try_claim() noexcept {
    room_ = sender_.try_claim();
    return room_ == nullptr ? nullptr : room_ + impairment_bytes;
  }

  /// The room of a lost frame stays claimed.
  void publish(std::size_t bytes) noexcept {
    const std::int64_t now = clock_.now_ns();
    // Always the same number of draws, so that the setting of one fault does not change the draws of the others.
    const bool loses = random_.unit() < faults_.loss;
    const bool stalls = random_.unit() < faults_.stall;
    const auto spread = static_cast<std::int64_t>(random_.unit() * static_cast<double>(faults_.delay_spread_ns));
    const std::uint64_t number = counts_.published++;
    if (stalls) {
      ++counts_.stalls;
      stalled_until_ns_ = std::max(stalled_until_ns_, now + faults_.stall_ns);
    }
    if (loses) {
      ++counts_.lost;
      return;
    }
    const detail::FaultHeader header{std::max(now + faults_.delay_ns + spread, stalled_until_ns_), number};
    if (header.due_ns > now) ++counts_.delayed;
    std::memcpy(room_, &header, sizeof header);
    sender_.publish(bytes + impairment_bytes);
  }

  [[nodiscard]] const SenderFaultCounts& counts() const noexcept { return counts_; }

 private:
  S sender_;
  Faults faults_;
  SeededRandom random_;
  Clock clock_;
  std::byte* room_ = nullptr;  // in the underlying transport
  std::int64_t stalled_until_ns_ = std::numeric_limits<std::int64_t>::min();
  SenderFaultCounts counts_;
};

template <Receiver R, detail::TellsTime Clock>
class ImpairedReceiver {
 public:
  /// `frame_capacity` is that of the impaired sender, bytes. Throws UsageError for an invalid fault.
  ImpairedReceiver(R receiver, const Faults& faults, std::size_t frame_capacity, Clock clock)
      : receiver_(std::move(receiver)),
        faults_(faults),
        stride_((frame_capacity + 7) / 8 * 8),
        clock_(std::move(clock)) {
    detail::require_valid(faults);
    copies_.resize((faults.overtaking + 1) * stride_);
    for (std::size_t copy = 1; copy <= faults.overtaking; ++copy) free_.push_back(copy);
    held_.reserve(faults.overtaking);
  }

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
    std::size_t moved = 0;
    const std::int64_t now = clock_.now_ns();
    if (now >= faults_.freeze_from_ns && now < faults_.freeze_until_ns) return 0;
    while (moved < limit) {
      hold_arrived();
      const auto first = std::min_element(held_.begin(), held_.end(), [](const Held& a, const Held& b) {
        return std::pair(a.header.due_ns, a.header.number) < std::pair(b.header.due_ns, b.header.number);
      });
      if (first == held_.end() || first->header.due_ns > now) break;
      show(*first);
      held_.erase(first);
      ++moved;
    }
    return moved;
  }

  /// Moves past all frames that are due, up to a limit, so that a fast sender cannot prolong the call without bound.
  [[nodiscard]] std::size_t jump() noexcept { return try_step(frames_per_jump); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return frame_; }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return receiver_.superseded(); }
  [[nodiscard]] bool delays() const noexcept { return faults_.delay_frames() || laxity::delays(receiver_); }

  /// The number of frames that have arrived and are not due yet.
  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }
  /// The number of frames shown after one that was published later; cumulative.
  [[nodiscard]] std::uint64_t reordered() const noexcept { return reordered_; }

 private:
  static constexpr std::size_t frames_per_jump = std::size_t{1} << 20;  // the maximum depth of a ring

  static constexpr std::size_t damaged = std::numeric_limits<std::size_t>::max();  // as `bytes`: shown as no frame

  struct Held {
    detail::FaultHeader header;
    std::size_t copy;  // index into copies_
    std::size_t bytes;
  };

  void hold_arrived() noexcept {
    while (held_.size() < faults_.overtaking && receiver_.try_step(1) == 1) {
      const std::span<const std::byte> arrived = receiver_.frame();
      Held held{{}, free_.back(), damaged};
      free_.pop_back();
      if (arrived.size() >= impairment_bytes && arrived.size() - impairment_bytes <= stride_) {
        held.bytes = arrived.size() - impairment_bytes;
        std::memcpy(&held.header, arrived.data(), impairment_bytes);
      }
      if (held.bytes != 0 && held.bytes != damaged)
        std::memcpy(place_of(held.copy), arrived.data() + impairment_bytes, held.bytes);
      held_.push_back(held);
    }
  }

  void show(const Held& held) noexcept {
    free_.push_back(shown_copy_);
    shown_copy_ = held.copy;
    frame_ = {};
    if (held.bytes != damaged) frame_ = {place_of(held.copy), held.bytes};
    if (held.header.number < newest_shown_) {
      ++reordered_;
    } else {
      newest_shown_ = held.header.number;
    }
  }

  [[nodiscard]] std::byte* place_of(std::size_t copy) noexcept { return copies_.data() + copy * stride_; }

  R receiver_;
  Faults faults_;
  std::size_t stride_;  // distance of copies, which keeps them 8-byte aligned
  Clock clock_;
  std::vector<std::byte> copies_;  // one frame shown and `overtaking` frames held; reserved once, never moves
  std::vector<std::size_t> free_;
  std::vector<Held> held_;
  std::size_t shown_copy_ = 0;
  std::span<const std::byte> frame_;
  std::uint64_t newest_shown_ = 0;
  std::uint64_t reordered_ = 0;
};

/// Wraps both ends of a link: `auto [sender, receiver] = impair(std::move(s), std::move(r), {.loss = 0.1}, seed,
/// clock)`. The frames of the underlying link must be larger by impairment_bytes. Throws UsageError for an invalid
/// fault.
template <Sender S, Receiver R, detail::TellsTime Clock>
[[nodiscard]] auto impair(S sender, R receiver, const Faults& faults, std::uint64_t seed, Clock clock) {
  struct Impaired {
    ImpairedSender<S, Clock> sender;
    ImpairedReceiver<R, Clock> receiver;
  };
  ImpairedSender<S, Clock> impaired_sender(std::move(sender), faults, seed, clock);
  const std::size_t capacity = impaired_sender.frame_capacity();
  return Impaired{std::move(impaired_sender), {std::move(receiver), faults, capacity, std::move(clock)}};
}

}  // namespace laxity
