// A queue that refuses when so many frames wait, or overwrites instead: which of the two, and how many, may be changed
// between any two frames by the sender's own thread.
//
// It sends into an overwriting ring, whose receiver takes frames as they are and need not know. Below the ring's depth
// nothing is overwritten, so then it is the queue that refuses (spsc_ring.hpp), at the cost of an exchange a frame.
//
// Threads: as the ring; the limit belongs to the thread of the sender.
// Elsewhere: the ring (overwriting_ring.hpp), who turns the limit (mesh/reactions/reaction.hpp).
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
  /// Refuses when as many frames wait as the limit says.
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
