#include "laxity/launch/detail/status_carrier.hpp"

#include <sched.h>

#include <algorithm>

namespace laxity::detail {

StatusCarrier::StatusCarrier(const TeamMemory& memory, Ranks& ranks, int threads)
    : memory_(memory), host_(ranks.map().host()), exchange_(ranks.open_exchange()) {
  const RankMap& map = ranks.map();
  statuses_.resize(static_cast<std::size_t>(map.hosts()));
  for (int host = 0; host < map.hosts(); ++host) first_worker_of_host_.push_back(map.ranks_of(host).front() * threads);
  for (const int rank : map.ranks_of(host_))
    for (int thread = 0; thread < threads; ++thread) own_workers_.push_back(rank * threads + thread);
}

std::uint64_t StatusCarrier::lowest(Barrier barrier) const noexcept {
  std::uint64_t lowest = Barrier::left;
  for (const int worker : own_workers_) lowest = std::min(lowest, barrier.reached(worker));
  return lowest;
}

HostStatus StatusCarrier::status_of_this_host() const noexcept {
  HostStatus status;
  status.ended = memory_.all_have_ended() ? 1 : 0;  // first: once it is true, nothing below changes any more
  status.barrier = lowest(memory_.worker_barrier());
  status.pacing = lowest(memory_.pacing_barrier());
  status.link_setups = memory_.link_setups_entered();
  status.stop = memory_.stop_flag().load(std::memory_order_relaxed) ? 1 : 0;
  status.broken = memory_.worker_barrier().broken() ? 1 : 0;
  for (const int worker : own_workers_)
    if (memory_.is_lost(worker)) status.lost = static_cast<std::uint32_t>(worker) + 1;
  return status;
}

void StatusCarrier::poll() noexcept {
  poll_requested_.store(false, std::memory_order_relaxed);
  statuses_[static_cast<std::size_t>(host_)] = status_of_this_host();
  all_sent_ = exchange_->exchange(statuses_[static_cast<std::size_t>(host_)], statuses_);
  for (std::size_t host = 0; host < statuses_.size(); ++host) {
    if (static_cast<int>(host) == host_) continue;
    const HostStatus& status = statuses_[host];
    const int worker = first_worker_of_host_[host];
    BarrierMember(memory_.worker_barrier(), worker).announce(status.barrier);
    BarrierMember(memory_.pacing_barrier(), worker).announce(status.pacing);
    memory_.enter_link_setup(status.link_setups);
    if (status.broken != 0) memory_.end_team();
    if (status.stop != 0) memory_.request_stop();
    if (status.lost == 0) continue;
    const int lost = status.lost == HostStatus::leader_lost ? worker : static_cast<int>(status.lost) - 1;
    if (!memory_.is_lost(lost)) memory_.worker_killed(lost, "its rank is gone from another host");
  }
}

void StatusCarrier::send_all() noexcept {
  do {
    poll();
    if (!all_sent_) ::sched_yield();
  } while (!all_sent_);
}

void StatusCarrier::give_up_hosts(std::string_view why) noexcept {
  for (std::size_t host = 0; host < statuses_.size(); ++host)
    if (statuses_[host].ended == 0 && static_cast<int>(host) != host_)
      memory_.worker_killed(first_worker_of_host_[host], why);
}

bool StatusCarrier::all_hosts_have_ended() const noexcept {
  return all_sent_ && std::ranges::all_of(statuses_, [](const HostStatus& status) { return status.ended != 0; });
}

}  // namespace laxity::detail
