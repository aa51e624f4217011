#include "apps/laxity/top/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "apps/laxity/top/report.hpp"

namespace laxity::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto poll_interval = 20ms;
constexpr auto patience_at_end = 5s;
constexpr auto min_patience = 2s;  // before a host counts as silent

std::set<std::string> hosts_but_this(const Ranks* ranks) {
  if (ranks == nullptr) return {};
  std::set<std::string> hosts(ranks->map().host_names.begin(), ranks->map().host_names.end());
  hosts.erase(ranks->map().host_names[static_cast<std::size_t>(ranks->map().rank)]);
  return hosts;
}

bool is_over(const JobFigures& job) { return job.state == "dead" || job.state == "ended"; }

}  // namespace

Watches::Watches(std::vector<int> pids, std::set<std::string> other_hosts)
    : pids_(std::move(pids)), other_hosts_(std::move(other_hosts)) {}

void Watches::read() {
  for (JobWatch& watch : watches_) watch.read();
  for (Job& job : Job::find_all()) {
    const bool known = std::ranges::find(watches_, job.identity(), &JobWatch::identity) != watches_.end();
    const bool wanted = pids_.empty() || std::ranges::find(pids_, job.notice().pid) != pids_.end();
    if (!known && wanted && !other_hosts_.contains(job.notice().host)) watches_.emplace_back(std::move(job));
  }
}

void Watches::forget_ended() {
  std::erase_if(watches_, [](const JobWatch& watch) { return watch.is_over(); });
}

std::vector<JobFigures> Watches::figures() const {
  std::vector<JobFigures> all;
  for (const JobWatch& watch : watches_) all.push_back(watch.figures());
  return all;
}

Hosts::Hosts(Ranks* ranks, const std::vector<int>& pids, std::chrono::nanoseconds interval)
    : ranks_(ranks),
      here_(pids, hosts_but_this(ranks)),
      patience_(std::max<Clock::duration>(min_patience, 3 * std::chrono::duration_cast<Clock::duration>(interval))) {
  if (ranks_ == nullptr) return;
  reports_ = ranks_->open_reports();
  for (int host = 1; host < ranks_->map().hosts(); ++host) {
    const int leader = ranks_->map().ranks_of(host).front();
    others_.push_back({.rank = leader, .host = ranks_->map().host_names[static_cast<std::size_t>(leader)]});
    others_.back().last_report = Clock::now();
  }
}

void Hosts::receive() {
  if (reports_ == nullptr) return;
  reports_->receive([this](int rank, std::span<const std::byte> report) {
    const auto other = std::ranges::find(others_, rank, &Other::rank);
    if (other == others_.end()) return;
    other->jobs = unpacked(report);
    other->last_report = Clock::now();
    other->has_reported = true;
  });
}

bool Hosts::is_silent(const Other& other) const { return Clock::now() - other.last_report > patience_; }

bool Hosts::all_have_reported() const noexcept { return std::ranges::all_of(others_, &Other::has_reported); }

std::vector<HostFigures> Hosts::hosts() const {
  std::vector<HostFigures> all{{ranks_ == nullptr ? host_name() : ranks_->map().host_names.front()}};
  for (const Other& other : others_) all.push_back({other.host, is_silent(other) || !other.has_reported});
  return all;
}

std::vector<JobFigures> Hosts::jobs() const {
  std::vector<JobFigures> all = here_.figures();
  for (const Other& other : others_) {
    for (JobFigures job : other.jobs) {
      if (is_silent(other) && !is_over(job)) job.state = "silent";
      all.push_back(std::move(job));
    }
  }
  // The order of running jobs on the screen never changes.
  std::map<std::string, std::size_t> place_of_name;
  for (const JobFigures& job : all) place_of_name.try_emplace(job.name, place_of_name.size());
  std::ranges::stable_sort(all, {}, [&](const JobFigures& job) { return place_of_name.at(job.name); });
  std::ranges::stable_partition(all, [](const JobFigures& job) { return !is_over(job); });
  return all;
}

void Hosts::end() {
  if (reports_ == nullptr) return;
  reports_->end();
  const auto give_up = Clock::now() + patience_at_end;
  while (!reports_->close()) {
    if (Clock::now() > give_up) {
      fmt::print(stderr, "laxity: a host does not answer, ending without it\n");
      ranks_->abort(0);
    }
    std::this_thread::sleep_for(1ms);
  }
}

void report_jobs(Ranks& ranks, const std::vector<int>& pids, std::chrono::nanoseconds first,
                 std::chrono::nanoseconds interval) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<Reports> reports = ranks.open_reports();
  Watches here(pids, hosts_but_this(&ranks));
  const bool reports_here = ranks.map().leads_host();
  if (reports_here) here.read();
  for (auto next = Clock::now() + first; !reports->has_ended();
       std::this_thread::sleep_for(std::min<Clock::duration>(poll_interval, interval))) {
    if (!reports_here || Clock::now() < next) continue;
    next = Clock::now() + interval;
    here.read();
    reports->send(packed(here.figures()));
  }
  while (!reports->close()) std::this_thread::sleep_for(1ms);
}

}  // namespace laxity::cli
