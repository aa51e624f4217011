#include "laxity/launch/detail/status_carrier.hpp"

#include <sched.h>

#include <algorithm>

namespace laxity::detail {

StatusCarrier::StatusCarrier(const TeamMemory& memory, Ranks& ranks, int threads)
    : memory_(memory), host_(ranks.map().host()), exchange_(ranks.open_exchange()) {
  const RankMap& map = ranks.map();
  news_.resize(static_cast<std::size_t>(map.hosts()));
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
  HostStatus news;
  news.over = memory_.all_have_ended() ? 1 : 0;  // first: once it is true, nothing below changes any more
  news.meeting = lowest(memory_.meeting_barrier());
  news.pacing = lowest(memory_.pacing_barrier());
  news.entered = memory_.meetings_entered();
  news.stop = memory_.stop_flag().load(std::memory_order_relaxed) ? 1 : 0;
  news.broken = memory_.meeting_barrier().broken() ? 1 : 0;
  for (const int worker : own_workers_)
    if (memory_.is_lost(worker)) news.lost = static_cast<std::uint32_t>(worker) + 1;
  return news;
}

void StatusCarrier::turn() noexcept {
  due_.store(false, std::memory_order_relaxed);
  news_[static_cast<std::size_t>(host_)] = status_of_this_host();
  told_ = exchange_->exchange(news_[static_cast<std::size_t>(host_)], news_);
  for (std::size_t host = 0; host < news_.size(); ++host) {
    if (static_cast<int>(host) == host_) continue;
    const HostStatus& news = news_[host];
    const int worker = first_worker_of_host_[host];
    BarrierMember(memory_.meeting_barrier(), worker).announce(news.meeting);
    BarrierMember(memory_.pacing_barrier(), worker).announce(news.pacing);
    memory_.enter_meeting(news.entered);
    if (news.broken != 0) memory_.break_up();
    if (news.stop != 0) memory_.request_stop();
    if (news.lost == 0) continue;
    const int lost = news.lost == HostStatus::leader_lost ? worker : static_cast<int>(news.lost) - 1;
    if (!memory_.is_lost(lost)) memory_.worker_killed(lost, "its rank is gone from another host");
  }
}

void StatusCarrier::tell_all() noexcept {
  do {
    turn();
    if (!told_) ::sched_yield();
  } while (!told_);
}

bool StatusCarrier::all_is_over() const noexcept {
  return told_ && std::ranges::all_of(news_, [](const HostStatus& news) { return news.over != 0; });
}

}  // namespace laxity::detail
