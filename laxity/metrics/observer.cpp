#include "laxity/metrics/observer.hpp"

#include <algorithm>
#include <string>
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

}  // namespace

Observer::Observer(CounterTable table, const ObserverOptions& options, std::int64_t start_ns)
    : table_(table), options_(options), request_(0), next_ns_(start_ns + options.first_after_ns) {
  check(options);
  // Numbers of requests only grow, also over several observers of one table.
  for (int id = 0; id < table_.workers(); ++id)
    request_ = std::max(request_, table_.worker(id).request.load(std::memory_order_relaxed));
}

void Observer::poll(std::int64_t now_ns) {
  if (!asking_ && now_ns >= next_ns_) ask(now_ns);
  if (!asking_) return;
  if (!all_have_answered_or_ended() && now_ns - asked_ns_ < options_.patience_ns) return;
  LinkObservations observation = collect(now_ns);
  asking_ = false;
  const bool ends = has_last_;
  if (ends) add_snapshot(last_, observation);
  next_number_ += missed_;
  last_ = std::move(observation);
  has_last_ =
      !(ends && options_.interval_ns != 0);  // with pauses, the end of a snapshot is not the beginning of the next
  if (!has_last_) next_ns_ = asked_ns_ + options_.interval_ns - options_.window_ns;
}

void Observer::ask(std::int64_t now_ns) {
  ++request_;
  for (int id = 0; id < table_.workers(); ++id)
    table_.worker(id).request.store(request_, std::memory_order_release);  // O1: the last answers have been read
  asking_ = true;
  asked_ns_ = now_ns;
  // If the supervisor was stopped, numbers are skipped, so that a number means the same time on all hosts.
  const std::int64_t late_ns = now_ns - next_ns_;
  const std::int64_t step_ns = options_.interval_ns != 0 ? options_.interval_ns : options_.window_ns;
  missed_ = late_ns < options_.patience_ns ? 0 : static_cast<int>(late_ns / step_ns);
  // A late observation does not shorten the next window.
  next_ns_ = now_ns + options_.window_ns;
}

bool Observer::all_have_answered_or_ended() const {
  for (int id = 0; id < table_.workers(); ++id) {
    const WorkerCounters& worker = table_.worker(id);
    if (worker.answered.load(std::memory_order_acquire) != request_ && can_answer(worker)) return false;
  }
  return true;
}

LinkObservations Observer::collect(std::int64_t now_ns) const {
  std::vector<WorkerObservation> workers;
  std::vector<bool> answered;
  for (int id = 0; id < table_.workers(); ++id) {
    const WorkerCounters& worker = table_.worker(id);
    // The counters of a worker of another host are not here: its half of a link stays zero, which the other host's half
    // replaces.
    answered.push_back(is_elsewhere(worker) ||
                       worker.answered.load(std::memory_order_acquire) == request_);  // pairs with O2
    workers.push_back(answered.back() ? worker.answer : WorkerObservation{now_ns, worker.updates.read()});
  }
  LinkObservations links;
  table_.for_each_link([&](const LinkKey& key, LinkRow& row) {
    const std::size_t from = key.from_worker, to = key.to_worker;
    links[key] = {.neighbor_kind = row.neighbor_kind.load(std::memory_order_relaxed),
                  .channels = row.channels.load(std::memory_order_relaxed),
                  .answered = answered[from] && answered[to],
                  .sender = workers[from],
                  .receiver = workers[to],
                  .inlet = answered[from] ? row.inlet_answer : observe(row.inlet),
                  .outlet = answered[to] ? row.outlet_answer : observe(row.outlet)};
  });
  return links;
}

void Observer::add_snapshot(const LinkObservations& before, const LinkObservations& after) {
  add_snapshots(snapshots_, next_number_, before, after);
  ++snapshots_taken_;
  ++next_number_;
}

}  // namespace laxity
