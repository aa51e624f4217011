// A sender with a limit: it refuses when that number of frames wait, or overwrites if there is no limit. The limit may
// be changed between any two frames by the sender's thread.
//
// It sends into an overwriting ring, whose receiver does not depend on the limit. With a limit below the ring's depth
// nothing is overwritten, so it behaves like spsc_ring.hpp, at the cost of one atomic exchange per frame.
//
// Threads: as the ring; the limit belongs to the thread of the sender.
// Elsewhere: the ring (overwriting_ring.hpp), changing the limit (mesh/reactions/reaction.hpp).
#pragma once

#include <cstddef>
#include <limits>

#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity {

/// With this limit nothing is refused: the newest frame supersedes the oldest.
inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

class LimitedSender {
 public:
  static constexpr bool lossless = false;

  /// `limit`, at least 1, must outlive the sender.
  LimitedSender(OverwritingRing::Sender sender, const std::size_t& limit) : sender_(sender), limit_(&limit) {}

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return sender_.frame_capacity(); }
  /// Refuses when the number of waiting frames has reached the limit.
  [[nodiscard]] std::byte* try_claim() noexcept {
    if (*limit_ != no_limit && sender_.are_waiting(*limit_)) return nullptr;
    return sender_.try_claim();
  }
  void publish(std::size_t bytes) noexcept { sender_.publish(bytes); }

 private:
  OverwritingRing::Sender sender_;
  const std::size_t* limit_;
};

static_assert(Sender<LimitedSender>);

}  // namespace laxity
