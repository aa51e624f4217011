#include "laxity/timewarp/engine.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "laxity/error.hpp"
#include "laxity/launch/team.hpp"

namespace laxity::timewarp {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw UsageError(what);
}

void check_team(const Engine& engine, LpId logical_processes) {
  const RunOptions& options = engine.options;
  require(options.threads >= 1, "threads = " + std::to_string(options.threads) + ": must be at least 1");
  require(options.processes >= 0, "processes = " + std::to_string(options.processes) + ": must not be negative");
  const std::int64_t workers = std::int64_t{options.threads} * options.process_count();
  const std::string count = std::to_string(workers) + " workers (threads times processes)";
  require(workers <= Team::max_workers, count + ": at most " + std::to_string(Team::max_workers) + " are possible");
  require(workers <= logical_processes,
          count + " for " + std::to_string(logical_processes) + " logical processes: every worker needs at least one");
}

void check_exchange(const Engine& engine) {
  const bool is_one_process = engine.options.processes == 0 && engine.options.ranks == nullptr;
  require(is_one_process || engine.options.worker.events == SentEvents::copied,
          "events = shared: requires that all workers are threads of one process");
  if (engine.exchange == ExchangeKind::rings) return;
  const std::string exchange = "exchange = " + std::string(name_of(engine.exchange));
  require(engine.queue == Queue::bucket, exchange + ": requires the bucket queue");
  if (engine.exchange == ExchangeKind::attach) {
    require(!is_one_process, exchange + ": requires several processes; threads share their memory anyway");
    return;
  }
  require(is_one_process, exchange + ": requires that all workers are threads of one process");
  require(engine.queues >= 1 && engine.queues <= 1024,
          "queues = " + std::to_string(engine.queues) + ": must be 1 to 1024");
}

void check_event_log(const std::string& directory) {
  std::error_code none;
  if (directory.empty() || !std::filesystem::exists(directory, none)) return;
  require(std::filesystem::is_directory(directory, none), "event_log = " + directory + ": not a directory");
  for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
    require(entry.path().extension() != ".events",
            "event_log = " + directory + ": the directory holds a log already; name another");
  }
}

}  // namespace

std::string_view name_of(Queue queue) noexcept {
  constexpr std::array<std::string_view, all_queues.size()> names = {"bucket", "heap", "ladder", "two-tier-ladder",
                                                                     "three-tier-heap"};
  return names[static_cast<std::size_t>(queue)];
}

std::string_view name_of(ExchangeKind exchange) noexcept {
  constexpr std::array<std::string_view, all_exchanges.size()> names = {"rings", "mutex", "spin-lock", "lock-free",
                                                                        "attach"};
  return names[static_cast<std::size_t>(exchange)];
}

std::string_view name_of(Optimism optimism) noexcept {
  constexpr std::array<std::string_view, all_optimisms.size()> names = {"none", "adaptive", "scale-free"};
  return names[static_cast<std::size_t>(optimism)];
}

std::string_view name_of(SentEvents events) noexcept { return events == SentEvents::copied ? "copied" : "shared"; }

std::string_view name_of(MemoryPlacement placement) noexcept {
  return placement == MemoryPlacement::local ? "local" : "interleaved";
}

std::string_view name_of(StateSaving saving) noexcept {
  constexpr std::array<std::string_view, all_state_savings.size()> names = {"copy", "periodic", "reverse"};
  return names[static_cast<std::size_t>(saving)];
}

std::string team_of(const Engine& engine) {
  if (engine.sequential) return "sequential";
  TeamOptions team;
  team.threads = engine.options.threads;
  team.processes = engine.options.processes;
  team.ranks = engine.options.ranks;
  return shape_of(team);
}

void check(const Engine& engine, LpId logical_processes) {
  check_event_log(engine.options.worker.event_log);
  if (engine.sequential) return;
  check_team(engine, logical_processes);
  check_exchange(engine);
}

namespace detail {

Progress progress_of(const LiveStatistics& live) noexcept {
  const auto read = [](const std::atomic<std::uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  Progress progress;
  progress.events_in_use = read(live.events_in_use);
  progress.counts.gvt_rounds = read(live.gvt_rounds);
  progress.counts.committed = read(live.committed);
  progress.counts.processed = read(live.processed);
  progress.counts.rolled_back = read(live.rolled_back);
  progress.counts.primary_rollbacks = read(live.rollbacks);
  progress.counts.remote_events = read(live.remote_events);
  progress.counts.anti_messages = read(live.anti_messages);
  return progress;
}

}  // namespace detail

}  // namespace laxity::timewarp
