// Carries the news of a team between the hosts it runs on: barriers, requests to stop, ends.
//
// Within a host workers see each other in memory that they share. Of each other host one worker has its places there
// too, and the status_carrier writes on its behalf what that host says: so a barrier is one barrier, wherever its members are.
//
// Invariants: what a host tells never overtakes what its workers have done before. Nothing blocks.
// Threads: turn() belongs to the thread that leads the host, which runs its first worker: while it waits at a barrier,
// and in between whenever the supervisor has found it due. ask() may come from any thread.
// Elsewhere: the messages (StatusExchange, ranks.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "laxity/launch/barrier.hpp"
#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity::detail {

class StatusCarrier final : public WhileWaiting {
 public:
  /// Of the team in `memory`, whose ranks have `threads` workers each.
  StatusCarrier(const TeamMemory& memory, Ranks& ranks, int threads);
  StatusCarrier(const StatusCarrier&) = delete;
  StatusCarrier& operator=(const StatusCarrier&) = delete;

  /// Tells the other hosts what is new here, and writes down here what they tell.
  void turn() noexcept override;
  /// turn(), until the other hosts have been told all: before this thread turns to something else that others wait for.
  void tell_all() noexcept;

  /// A turn is due; by the supervisor, now and then.
  void ask() noexcept { due_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_due() const noexcept { return due_.load(std::memory_order_relaxed); }

  /// The workers of all hosts have ended, and all hosts know.
  [[nodiscard]] bool all_is_over() const noexcept;

 private:
  [[nodiscard]] HostStatus status_of_this_host() const noexcept;
  [[nodiscard]] std::uint64_t lowest(Barrier barrier) const noexcept;

  const TeamMemory& memory_;
  int host_;
  std::vector<int> own_workers_;
  std::vector<int> first_worker_of_host_;
  std::vector<HostStatus> news_;  // by host, as of the last turn
  std::unique_ptr<StatusExchange> exchange_;
  bool told_ = false;  // the last news of this host is on its way to all
  std::atomic<bool> due_{false};
};

}  // namespace laxity::detail
