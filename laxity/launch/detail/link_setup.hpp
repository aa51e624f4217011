// Brings the links between hosts to life, and empties them, when all workers meet at a barrier.
//
// A barrier of a team on one host leaves nothing under way: what was published before it is there after it. Links
// between hosts need collective calls for that, one thread of each rank in each: a meeting. So Worker::barrier() is two
// barriers: when all have come to the first, the first worker of each rank makes the calls; the second says that all are
// done. If that worker has ended before the others, its thread stands in for it.
//
// Invariants: a meeting that anybody has entered is attended by every rank; one that nobody has entered, because a worker
// was lost, is attended by none. What decides is the count of meetings entered, which spreads like all news and only
// grows: where a worker stands at the barrier may be old news.
//
// Threads: meet() and stand_in() belong to the thread of the first worker of the rank; await() to the other workers.
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
  /// `status_carrier` is that of this rank, if it leads its host.
  LinkSetup(const TeamMemory& memory, RemoteLinks& links, StatusCarrier* status_carrier)
      : memory_(memory), links_(links), status_carrier_(status_carrier) {}

  [[nodiscard]] RemoteLinks& links() const noexcept { return links_; }

  /// The next meeting: connects new links and lets all frames arrive. Throws Error.
  void meet();
  /// Waits until so many meetings are done. False: a worker was lost and the team is ending.
  [[nodiscard]] bool await(std::uint64_t meetings) const noexcept;
  /// Takes part in a meeting that others have entered, for a worker that has ended.
  void stand_in() noexcept;

 private:
  const TeamMemory& memory_;
  RemoteLinks& links_;
  StatusCarrier* status_carrier_;
  std::atomic<std::uint64_t> done_{0};  // meetings
};

}  // namespace laxity::detail
