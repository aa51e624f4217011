// A replica of the shared state of GVT, for workers that share no memory: each worker has one and sends its own part to
// all others.
//
// The state of a worker is sent as a whole. If a link is full, the newest state is sent when there is room; older
// states are skipped. This suffices, because a round only relies on properties that stay true: that a worker has joined
// or reported, the number of messages of the old color that it had sent when it joined, its report, and a lower bound
// of the number of messages that it has received.
//
// Invariants: every copy is a state that its worker has had, and is never replaced by an older one.
// Threads: each worker has its own. The links are established when all workers have reached Worker::barrier().
// Elsewhere: the rounds (gvt.hpp), the shared state within one host (run.hpp).
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

  [[nodiscard]] GvtSharedState& shared_state() noexcept { return *shared_; }

  /// Sends this worker's state to the others if it has changed, and receives theirs. False: a link was full, so that
  /// the newest state has not been sent to all.
  bool exchange() noexcept;

 private:
  using State = std::array<std::uint64_t, 7>;  // joined, sent, received, reported, time, tie, ends
  struct Link {
    int other;
    AnySender sender;
    AnyReceiver receiver;
    bool is_current = true;  // whether the newest state was sent
  };

  [[nodiscard]] State own_state() const noexcept;
  void copy(int worker, const State& state) noexcept;

  std::vector<std::byte> memory_;
  GvtSharedState* shared_;
  int worker_;
  State state_{};  // as sent, or to be sent
  std::vector<Link> links_;
};

}  // namespace laxity::timewarp
