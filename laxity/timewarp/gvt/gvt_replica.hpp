// A board of global virtual time for workers that share no memory: each has a board of its own, on which the seats of the
// others are copies.
//
// A seat travels as a whole. If a link is full, its newest state follows when there is room; states in between are left
// out. That is enough, because a round asks of a seat only what stays true: that its worker has joined or reported, how
// many messages of the old color it had sent when it joined, its report, and a count of received ones that only grows.
//
// Invariants: every copy is a state that the seat has had, and never goes back.
// Threads: each worker has its own. Links come to life when all workers have met at Worker::barrier().
// Elsewhere: the rounds (gvt.hpp), the one board of a single node (run.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "laxity/launch/worker.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity::timewarp {

class GvtReplica {
 public:
  /// Every worker of the team constructs one.
  explicit GvtReplica(Worker& worker);

  [[nodiscard]] GvtSharedState& board() noexcept { return *board_; }

  /// Tells the others what has changed at the own seat, and copies what they tell. False: a link was full, so that the
  /// newest state still waits here.
  bool exchange() noexcept;

 private:
  using State = std::array<std::uint64_t, 7>;  // joined, sent, received, reported, time, tie, ends
  struct Link {
    int other;
    AnySender sender;
    AnyReceiver receiver;
    bool told = true;  // the newest state
  };

  [[nodiscard]] State own_state() const noexcept;
  void copy(int worker, const State& state) noexcept;

  std::vector<std::byte> memory_;
  GvtSharedState* board_;
  int worker_;
  State state_{};  // as told, or waiting to be
  std::vector<Link> links_;
};

}  // namespace laxity::timewarp
