// Link set-up: connects the links between hosts and lets all frames arrive, when all workers are at Worker::barrier().
//
// After a barrier within one host, everything published before it is visible. Links between hosts need collective calls
// for the same guarantee, one thread of each rank in each. So Worker::barrier() consists of two barriers: after the
// first, the first worker of each rank makes the collective calls; the second waits until they are done. If that worker
// has ended before the others, its thread takes part on its behalf.
//
// Invariants: either every rank takes part in a link set-up, because some worker has entered it, or none does, because
// a worker was lost before any entered. Ranks decide by the number of set-ups entered, which is part of HostStatus and
// only grows; where a worker is at the barrier may be outdated.
//
// Threads: run() and run_if_entered() belong to the thread of the first worker of the rank; wait_for() to the others.
// Elsewhere: the links (laxity/transport/remote_links.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "laxity/launch/detail/status_carrier.hpp"
#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity::detail {

class LinkSetup {
 public:
  /// `status_carrier` is that of this rank if it leads its host, otherwise null.
  LinkSetup(const TeamMemory& memory, RemoteLinks& links, StatusCarrier* status_carrier)
      : memory_(memory), links_(links), status_carrier_(status_carrier) {}

  [[nodiscard]] RemoteLinks& links() const noexcept { return links_; }

  /// Collective over ranks: connects new links and lets all frames arrive. Throws Error.
  void run();
  /// Waits until `count` set-ups are done. False: a worker was lost and the team is ending.
  [[nodiscard]] bool wait_for(std::uint64_t count) const noexcept;
  /// Takes part in a set-up that other workers have entered, on behalf of a worker that has ended.
  void run_if_entered() noexcept;

 private:
  const TeamMemory& memory_;
  RemoteLinks& links_;
  StatusCarrier* status_carrier_;
  std::atomic<std::uint64_t> done_{0};  // set-ups
};

}  // namespace laxity::detail
