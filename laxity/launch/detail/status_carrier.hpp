// Carries the status of a team between its hosts: barriers, requests to stop, losses and ends.
//
// Within a host, workers see each other in shared memory. One worker of every other host also has a place in that
// memory, and the carrier writes there what the other host has sent; so a barrier over hosts is the barrier of one
// host.
//
// Invariants: a status never overtakes what the workers of its host did before it. Nothing blocks.
// Threads: poll() belongs to the thread that leads the host and runs its first worker: it polls while it waits at a
// barrier, and after an update if the supervisor has requested it. request_poll() may be called by any thread.
// Elsewhere: the messages (StatusExchange, ranks.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "laxity/launch/barrier.hpp"
#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity::detail {

class StatusCarrier final : public WaitHook {
 public:
  /// For the team in `memory`, whose ranks have `threads` workers each.
  StatusCarrier(const TeamMemory& memory, Ranks& ranks, int threads);
  StatusCarrier(const StatusCarrier&) = delete;
  StatusCarrier& operator=(const StatusCarrier&) = delete;

  /// Sends the status of this host if it has changed, and applies those received from other hosts.
  void poll() noexcept override;
  /// Polls until the current status is on its way to all hosts: before this thread does something that may block while
  /// others wait for that status.
  void send_all() noexcept;
  /// Records the first worker of every host that has not ended as lost.
  void give_up_hosts(std::string_view why) noexcept;

  /// Requests a poll(); called by the supervisor at every tick.
  void request_poll() noexcept { poll_requested_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool poll_requested() const noexcept { return poll_requested_.load(std::memory_order_relaxed); }

  /// True once the workers of all hosts have ended, and every host has been told that those of this one have.
  [[nodiscard]] bool all_hosts_have_ended() const noexcept;

 private:
  [[nodiscard]] HostStatus status_of_this_host() const noexcept;
  [[nodiscard]] std::uint64_t lowest(Barrier barrier) const noexcept;

  const TeamMemory& memory_;
  int host_;
  std::vector<int> own_workers_;
  std::vector<int> first_worker_of_host_;
  std::vector<HostStatus> statuses_;  // by host, as of the last poll
  std::unique_ptr<StatusExchange> exchange_;
  bool all_sent_ = false;  // the current status of this host is on its way to all others
  std::atomic<bool> poll_requested_{false};
};

}  // namespace laxity::detail
