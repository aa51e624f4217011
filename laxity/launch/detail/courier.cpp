#include "laxity/launch/detail/courier.hpp"

#include <sched.h>

#include <algorithm>

namespace laxity::detail {

Courier::Courier(const TeamMemory& memory, Ranks& ranks, int threads)
    : memory_(memory), node_(ranks.map().node()), exchange_(ranks.open_exchange()) {
  const RankMap& map = ranks.map();
  news_.resize(static_cast<std::size_t>(map.nodes()));
  for (int node = 0; node < map.nodes(); ++node) first_worker_of_node_.push_back(map.ranks_of(node).front() * threads);
  for (const int rank : map.ranks_of(node_))
    for (int thread = 0; thread < threads; ++thread) own_workers_.push_back(rank * threads + thread);
}

std::uint64_t Courier::lowest(Barrier barrier) const noexcept {
  std::uint64_t lowest = Barrier::left;
  for (const int worker : own_workers_) lowest = std::min(lowest, barrier.reached(worker));
  return lowest;
}

NodeNews Courier::news_of_this_node() const noexcept {
  NodeNews news;
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

void Courier::turn() noexcept {
  due_.store(false, std::memory_order_relaxed);
  news_[static_cast<std::size_t>(node_)] = news_of_this_node();
  told_ = exchange_->exchange(news_[static_cast<std::size_t>(node_)], news_);
  for (std::size_t node = 0; node < news_.size(); ++node) {
    if (static_cast<int>(node) == node_) continue;
    const NodeNews& news = news_[node];
    const int worker = first_worker_of_node_[node];
    BarrierMember(memory_.meeting_barrier(), worker).announce(news.meeting);
    BarrierMember(memory_.pacing_barrier(), worker).announce(news.pacing);
    memory_.enter_meeting(news.entered);
    if (news.broken != 0) memory_.break_up();
    if (news.stop != 0) memory_.request_stop();
    if (news.lost == 0) continue;
    const int lost = news.lost == NodeNews::leader_lost ? worker : static_cast<int>(news.lost) - 1;
    if (!memory_.is_lost(lost)) memory_.worker_killed(lost, "its rank is gone from another node");
  }
}

void Courier::tell_all() noexcept {
  do {
    turn();
    if (!told_) ::sched_yield();
  } while (!told_);
}

bool Courier::all_is_over() const noexcept {
  return told_ && std::ranges::all_of(news_, [](const NodeNews& news) { return news.over != 0; });
}

}  // namespace laxity::detail
