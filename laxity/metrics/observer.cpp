#include "laxity/metrics/observer.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "laxity/error.hpp"

namespace laxity {
namespace {

void check(const ObserverOptions& options) {
  if (options.interval_ns != 0 && options.interval_ns <= options.window_ns)
    throw UsageError("snapshots of " + std::to_string(options.window_ns) + " ns cannot begin every " +
                     std::to_string(options.interval_ns) + " ns");
  if (options.first_after_ns < 0 || options.window_ns <= 0 || options.patience_ns <= 0)
    throw UsageError("an observer needs a positive window and patience, not " + std::to_string(options.window_ns) +
                     " ns and " + std::to_string(options.patience_ns) + " ns");
}

bool is_elsewhere(const WorkerCounters& worker) noexcept {
  return worker.state.load(std::memory_order_relaxed) == WorkerState::elsewhere;
}

bool can_answer(const WorkerCounters& worker) noexcept {
  const WorkerState state = worker.state.load(std::memory_order_acquire);
  return state == WorkerState::waiting || state == WorkerState::running;
}

InletObservation operator+(const InletObservation& a, const InletObservation& b) noexcept {
  return {a.attempted + b.attempted, a.refused + b.refused, a.superseded + b.superseded, a.unchanged + b.unchanged};
}

OutletObservation operator+(const OutletObservation& a, const OutletObservation& b) noexcept {
  return {a.pulls + b.pulls, a.laden + b.laden, a.received + b.received, a.superseded + b.superseded,
          a.touches + b.touches};
}

}  // namespace

std::vector<LinkSnapshot> sum_channels(const std::vector<LinkSnapshot>& snapshots) {
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>, LinkSnapshot> sums;
  for (const LinkSnapshot& row : snapshots) {
    const auto [place, is_first] =
        sums.try_emplace({row.snapshot, row.key.layer, row.key.from_worker, row.key.to_worker}, row);
    LinkSnapshot& sum = place->second;
    sum.key.channel = 0;
    if (is_first) continue;
    sum.channels += row.channels;
    sum.summed_channels += row.summed_channels;
    sum.answered = sum.answered && row.answered;
    sum.inlet_before = sum.inlet_before + row.inlet_before;
    sum.inlet_after = sum.inlet_after + row.inlet_after;
    sum.outlet_before = sum.outlet_before + row.outlet_before;
    sum.outlet_after = sum.outlet_after + row.outlet_after;
  }
  std::vector<LinkSnapshot> result;
  for (const auto& [key, sum] : sums) result.push_back(sum);
  return result;
}

Observer::Observer(CounterTable table, const ObserverOptions& options, std::int64_t start_ns)
    : table_(table), options_(options), request_(0), next_ns_(start_ns + options.first_after_ns) {
  check(options);
  // Another observer may have been here: numbers only grow.
  for (int id = 0; id < table_.workers(); ++id)
    request_ = std::max(request_, table_.worker(id).request.load(std::memory_order_relaxed));
}

void Observer::poll(std::int64_t now_ns) {
  if (!asking_ && now_ns >= next_ns_) ask(now_ns);
  if (!asking_) return;
  if (!all_have_answered_or_ended() && now_ns - asked_ns_ < options_.patience_ns) return;
  Observation observation = collect(now_ns);
  asking_ = false;
  const bool ends = has_last_;
  if (ends) add_snapshot(last_, observation);
  next_number_ += missed_;
  last_ = std::move(observation);
  has_last_ = !(ends && options_.interval_ns != 0);  // with pauses in between, the end is nobody's beginning
  if (!has_last_) next_ns_ = asked_ns_ + options_.interval_ns - options_.window_ns;
}

void Observer::ask(std::int64_t now_ns) {
  ++request_;
  for (int id = 0; id < table_.workers(); ++id)
    table_.worker(id).request.store(request_, std::memory_order_release);  // O1: the last answers have been read
  asking_ = true;
  asked_ns_ = now_ns;
  // A supervisor that stood still itself leaves numbers free, so that they mean the same time on all nodes.
  const std::int64_t late_ns = now_ns - next_ns_;
  const std::int64_t step_ns = options_.interval_ns != 0 ? options_.interval_ns : options_.window_ns;
  missed_ = late_ns < options_.patience_ns ? 0 : static_cast<int>(late_ns / step_ns);
  // A supervisor that came late does not shorten the next window.
  next_ns_ = now_ns + options_.window_ns;
}

bool Observer::all_have_answered_or_ended() const {
  for (int id = 0; id < table_.workers(); ++id) {
    const WorkerCounters& worker = table_.worker(id);
    if (worker.answered.load(std::memory_order_acquire) != request_ && can_answer(worker)) return false;
  }
  return true;
}

Observer::Observation Observer::collect(std::int64_t now_ns) const {
  Observation result;
  for (int id = 0; id < table_.workers(); ++id) {
    const WorkerCounters& worker = table_.worker(id);
    // The counters of a worker of another host are not here: its half of a link stays zero, and is right as such.
    const bool answered =
        is_elsewhere(worker) || worker.answered.load(std::memory_order_acquire) == request_;  // pairs with O2
    result.answered.push_back(answered);
    result.workers.push_back(answered ? worker.answer : WorkerObservation{now_ns, worker.updates.read()});
  }
  table_.for_each_link([&](const LinkKey& key, LinkRow& row) {
    result.links[key] = {row.neighbor_kind.load(std::memory_order_relaxed),
                         row.channels.load(std::memory_order_relaxed),
                         result.answered[key.from_worker] ? row.inlet_answer : observe(row.inlet),
                         result.answered[key.to_worker] ? row.outlet_answer : observe(row.outlet)};
  });
  return result;
}

void Observer::add_snapshot(const Observation& before, const Observation& after) {
  for (const auto& [key, end] : after.links) {
    const auto begin = before.links.find(key);
    if (begin == before.links.end()) continue;  // claimed in between: it has no beginning
    const std::size_t from = key.from_worker, to = key.to_worker;
    snapshots_.push_back({next_number_, key, end.neighbor_kind, end.channels, 1,
                          before.answered[from] && after.answered[from] && before.answered[to] && after.answered[to],
                          before.workers[from], after.workers[from], before.workers[to], after.workers[to],
                          begin->second.inlet, end.inlet, begin->second.outlet, end.outlet});
  }
  ++snapshots_taken_;
  ++next_number_;
}

}  // namespace laxity
