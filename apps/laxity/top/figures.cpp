#include "apps/laxity/top/figures.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "laxity/clock/clock.hpp"
#include "laxity/metrics/quality_of_service.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {
namespace {

// The metrics are the first real columns of qos.csv; these are their places. (GCC 12 cannot compare addresses at compile time under
// the undefined-behavior sanitizer.)
constexpr auto metric_columns = [] {
  std::array<std::size_t, metrics> places{};
  std::size_t count = 0;
  for (std::size_t place = 0; place < tables::qos.columns.size(); ++place)
    if (count < metrics && tables::qos.columns[place].type == CellType::real) places.at(count++) = place;
  return places;
}();

constexpr std::size_t failure_rate = 3;  // the only metric that is computed from the counters of the sender
static_assert([] {
  for (std::size_t metric = 0; metric < metrics; ++metric) {
    const bool of_sender = tables::qos.columns[metric_columns[metric]].end == "sender";
    if (metric_columns[metric] == 0 || of_sender != (metric == failure_rate)) return false;
  }
  return true;
}());

bool has_ended(WorkerState state) noexcept {
  return state == WorkerState::finished || state == WorkerState::failed || state == WorkerState::killed;
}

double seconds_between(const WorkerObservation& before, const WorkerObservation& after) noexcept {
  return static_cast<double>(window_ns(before, after)) * 1e-9;
}

double per_second(std::uint64_t before, std::uint64_t after, double seconds) noexcept {
  return seconds > 0 ? static_cast<double>(increase(before, after)) / seconds : 0;
}

// Processed events that may still be rolled back are not committed yet, so the efficiency is a lower bound.
void add_simulation(JobFigures& job) {
  std::uint64_t processed = 0, committed = 0;
  for (const WorkerFigures& worker : job.workers) {
    processed += worker.events_processed;
    committed += worker.events_committed;
    job.committed_per_second += worker.committed_per_second;
    job.gvt = &worker == &job.workers.front() ? worker.gvt : std::min(job.gvt, worker.gvt);
  }
  job.simulates = processed != 0;
  if (job.simulates) job.efficiency = std::min(1.0, static_cast<double>(committed) / static_cast<double>(processed));
}

}  // namespace

JobWatch::JobWatch(Job job)
    : job_(std::move(job)), before_(read_now()), after_(before_), courses_(before_.workers.size()) {}

JobWatch::Reading JobWatch::read_now() const {
  const CounterTable table = job_.table();
  const SteadyClock clock;
  Reading reading;
  for (int id = 0; id < table.workers(); ++id) {
    const WorkerCounters& worker = table.worker(id);
    reading.workers.push_back({{clock.now_ns(), worker.updates.read()},
                               worker.state.load(std::memory_order_acquire),
                               worker.pid.load(std::memory_order_relaxed),
                               worker.events_processed.read(),
                               worker.events_committed.read(),
                               worker.gvt.load(std::memory_order_relaxed)});
  }
  const auto team = static_cast<std::uint32_t>(table.workers());
  table.for_each_link([&](const LinkKey& key, LinkRow& row) {
    if (key.from_worker >= team || key.to_worker >= team) return;  // not a key of this team
    reading.links[key] = {row.neighbor_kind.load(std::memory_order_relaxed),
                          row.channels.load(std::memory_order_relaxed), observe(row.inlet), observe(row.outlet)};
  });
  return reading;
}

void JobWatch::read() {
  if (over_) return;
  before_ = std::exchange(after_, read_now());
  extend_courses();
  over_ = !job_.is_alive();
}

void JobWatch::extend_courses() {
  const std::vector<LinkFigures> links = link_figures();
  for (std::size_t id = 0; id < courses_.size(); ++id) {
    const WorkerFigures worker = worker_figures(static_cast<int>(id), links);
    std::array<double, courses> now{worker.events_processed != 0 ? worker.committed_per_second
                                                                 : worker.updates_per_second};
    std::ranges::copy(worker.metric, now.begin() + 1);
    courses_[id].push_back(now);
    if (courses_[id].size() > max_course) courses_[id].pop_front();
  }
}

bool JobWatch::is_elsewhere(std::size_t worker) const { return after_.workers[worker].state == WorkerState::elsewhere; }

double JobWatch::rate_of(std::size_t worker) const {
  const WorkerObservation &before = before_.workers[worker].observed, &after = after_.workers[worker].observed;
  return per_second(before.updates, after.updates, seconds_between(before, after));
}

std::vector<LinkFigures> JobWatch::link_figures() const {
  std::vector<LinkFigures> figures;
  for (const auto& [key, now] : after_.links) {
    const auto found = before_.links.find(key);
    const LinkReading& last = found == before_.links.end() ? now : found->second;
    const WorkerObservation &before = before_.workers[key.to_worker].observed,
                            &after = after_.workers[key.to_worker].observed;
    const double seconds = seconds_between(before, after);
    LinkFigures link{.key = key, .kind = now.kind};
    link.sender_is_here = !is_elsewhere(key.from_worker);
    link.receiver_is_here = !is_elsewhere(key.to_worker);
    if (link.receiver_is_here)
      link.metric = {simstep_period_ns(before, after), simstep_latency_updates(before, after, last.outlet, now.outlet),
                     walltime_latency_ns(before, after, last.outlet, now.outlet), 0,
                     delivery_clumpiness(last.outlet, now.outlet)};
    link.metric[failure_rate] = delivery_failure_rate(last.inlet, now.inlet);  // 0 if no put was made here
    link.attempted_per_second = per_second(last.inlet.attempted, now.inlet.attempted, seconds);
    link.refused_per_second = per_second(last.inlet.refused, now.inlet.refused, seconds);
    link.superseded_per_second = per_second(last.inlet.superseded + last.outlet.superseded,
                                            now.inlet.superseded + now.outlet.superseded, seconds);
    figures.push_back(link);
  }
  return figures;
}

WorkerFigures JobWatch::worker_figures(int id, const std::vector<LinkFigures>& links) const {
  const auto place = static_cast<std::size_t>(id);
  const WorkerReading& now = after_.workers[place];
  WorkerFigures worker{
      .id = id, .pid = now.pid, .state = std::string(name_of(now.state)), .updates = now.observed.updates};
  worker.updates_per_second = rate_of(place);
  worker.events_processed = std::max(now.events_processed, now.events_committed);  // they change while they are read
  worker.events_committed = now.events_committed;
  worker.gvt = std::isfinite(now.gvt) ? now.gvt : 0;
  const WorkerReading& before = before_.workers[place];
  worker.committed_per_second =
      per_second(before.events_committed, now.events_committed, seconds_between(before.observed, now.observed));
  if (over_ && !has_ended(now.state))
    worker.state = "dead";
  else if (now.state == WorkerState::running && worker.updates > 0 && worker.updates_per_second == 0)
    worker.state = "stalled";
  for (std::size_t of = 0; of < courses; ++of)
    for (const auto& reading : courses_[place]) worker.course[of].push_back(reading[of]);
  worker.metric[0] = simstep_period_ns(before_.workers[place].observed, now.observed);
  std::array<int, metrics> counted{};
  for (const LinkFigures& link : links) {
    if (link.kind == NeighborKind::same_thread) continue;  // no transport is involved
    worker.exchanges =
        worker.exchanges || static_cast<int>(link.key.from_worker) == id || static_cast<int>(link.key.to_worker) == id;
    for (std::size_t metric = 1; metric < metrics; ++metric) {
      const auto end = metric == failure_rate ? link.key.from_worker : link.key.to_worker;
      if (static_cast<int>(end) != id) continue;
      worker.metric[metric] += link.metric[metric];
      ++counted[metric];
    }
  }
  for (std::size_t metric = 1; metric < metrics; ++metric)
    if (counted[metric] > 1) worker.metric[metric] /= counted[metric];
  return worker;
}

std::uint64_t JobWatch::memory_bytes() const {
  std::set<std::int64_t> processes{job_.notice().pid};
  for (const WorkerReading& worker : after_.workers) processes.insert(worker.pid);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t bytes = 0;
  for (const std::int64_t pid : processes) {
    if (pid <= 0) continue;
    std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t size = 0, resident = 0;
    if (statm >> size >> resident) bytes += resident * page;
  }
  return bytes;
}

JobFigures JobWatch::figures() const {
  const JobNotice& notice = job_.notice();
  JobFigures job{.pid = notice.pid, .name = notice.name, .host = notice.host, .command = notice.command};
  job.host_index = notice.host_index;
  job.hosts = notice.hosts;
  job.team = notice.shape();
  job.seconds = std::max(0.0, static_cast<double>(after_.workers[0].observed.time_ns - notice.started_ns) * 1e-9);
  job.memory_bytes = over_ ? 0 : memory_bytes();
  job.links = link_figures();
  std::map<NeighborKind, KindFigures> kinds;
  for (const LinkFigures& link : job.links) {
    KindFigures& kind = kinds[link.kind];
    kind.kind = link.kind;
    ++kind.links;
    kind.attempted_per_second += link.attempted_per_second;
    kind.refused_per_second += link.refused_per_second;
    kind.superseded_per_second += link.superseded_per_second;
  }
  for (const auto& [name, kind] : kinds) job.kinds.push_back(kind);
  bool all_ended = true, any_moves = false;
  for (int id = 0; id < notice.workers; ++id) {
    if (is_elsewhere(static_cast<std::size_t>(id))) continue;
    job.workers.push_back(worker_figures(id, job.links));
    job.updates_per_second += job.workers.back().updates_per_second;
    all_ended = all_ended && has_ended(after_.workers[static_cast<std::size_t>(id)].state);
    any_moves = any_moves || job.workers.back().state == "running";
  }
  if (!job.workers.empty()) job.updates_per_second /= static_cast<double>(job.workers.size());
  add_simulation(job);
  job.state = all_ended ? "ended" : over_ ? "dead" : any_moves ? "running" : "stalled";
  return job;
}

std::string to_json(const std::vector<HostFigures>& hosts, const std::vector<JobFigures>& jobs) {
  using Json = nlohmann::ordered_json;
  const auto with_metrics = [](Json json, const Metrics& values, bool sender = true, bool receiver = true) {
    for (std::size_t metric = 0; metric < metrics; ++metric)
      if (metric == failure_rate ? sender : receiver)
        json[std::string(tables::qos.columns[metric_columns[metric]].name)] = values[metric];
    return json;
  };
  Json all = Json::array(), machines = Json::array();
  for (const HostFigures& host : hosts) machines.push_back({{"host", host.name}, {"silent", host.is_silent}});
  for (const JobFigures& job : jobs) {
    Json workers = Json::array(), links = Json::array(), kinds = Json::object();
    for (const WorkerFigures& worker : job.workers) {
      workers.push_back(with_metrics({{"worker", worker.id},
                                      {"pid", worker.pid},
                                      {"state", worker.state},
                                      {"updates", worker.updates},
                                      {"updates_per_second", worker.updates_per_second}},
                                     worker.metric));
      if (job.simulates)
        workers.back().update({{"events_processed", worker.events_processed},
                               {"events_committed", worker.events_committed},
                               {"committed_per_second", worker.committed_per_second},
                               {"gvt", worker.gvt}});
    }
    for (const LinkFigures& link : job.links)
      links.push_back(with_metrics({{"layer", link.key.layer},
                                    {"from_worker", link.key.from_worker},
                                    {"to_worker", link.key.to_worker},
                                    {"channel", link.key.channel},
                                    {"neighbor_kind", name_of(link.kind)},
                                    {"attempted_per_second", link.attempted_per_second},
                                    {"refused_per_second", link.refused_per_second},
                                    {"superseded_per_second", link.superseded_per_second}},
                                   link.metric, link.sender_is_here, link.receiver_is_here));
    for (const KindFigures& kind : job.kinds)
      kinds[std::string(name_of(kind.kind))] = {{"links", kind.links},
                                                {"attempted_per_second", kind.attempted_per_second},
                                                {"refused_per_second", kind.refused_per_second},
                                                {"superseded_per_second", kind.superseded_per_second}};
    all.push_back({{"job", job.name},
                   {"host", job.host},
                   {"host_index", job.host_index},
                   {"hosts", std::max(1, job.hosts)},
                   {"pid", job.pid},
                   {"command", job.command},
                   {"team", job.team},
                   {"state", job.state},
                   {"seconds", job.seconds},
                   {"memory_bytes", job.memory_bytes},
                   {"updates_per_second", job.updates_per_second},
                   {"workers", std::move(workers)},
                   {"neighbor_kinds", std::move(kinds)},
                   {"links", std::move(links)}});
    if (job.simulates)
      all.back().update(
          {{"efficiency", job.efficiency}, {"committed_per_second", job.committed_per_second}, {"gvt", job.gvt}});
  }
  return Json{{"hosts", std::move(machines)}, {"jobs", std::move(all)}}.dump(2, ' ', false,
                                                                             Json::error_handler_t::replace);
}

}  // namespace laxity::cli
