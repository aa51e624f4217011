#include "laxity/cli/timewarp/engine_options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "laxity/cli/command.hpp"
#include "laxity/cli/grace_option.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {

void EngineOptions::add_team(Command& command) {
  const auto* const group = "Team";
  auto* sequential = command.add_flag("--sequential", sequential_, "One thread without rollback: the reference");
  sequential->group(group);
  command.add_option("--threads", threads_, "Threads (of each process)")
      ->at_least(1)
      ->group(group)
      ->capture_default_str()
      ->excludes(sequential);
  command.add_option("--processes", processes_, "Forked processes")->group(group)->at_least(1)->excludes(sequential);
  add_grace(command, grace_s_, group);
}

void EngineOptions::add_parts(Command& command) {
  const auto* const group = "Engine";
  const timewarp::Engine defaults;
  queue_ = name_of(defaults.queue);
  exchange_ = name_of(defaults.exchange);
  optimism_ = name_of(defaults.options.worker.optimism);
  events_ = name_of(defaults.options.worker.events);
  memory_ = name_of(defaults.options.worker.memory);
  turn_ = static_cast<std::int64_t>(defaults.options.worker.turn);
  gvt_interval_ = static_cast<std::int64_t>(defaults.options.worker.gvt_interval);
  max_events_ = static_cast<std::int64_t>(defaults.options.worker.max_events);
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group)->capture_default_str();
  };
  add("--queue", queue_, "Pending-event set: bucket, heap, ladder, two-tier-ladder, three-tier-heap")
      ->suggest({"bucket", "heap", "ladder", "two-tier-ladder", "three-tier-heap"});
  add("--optimism", optimism_, "Throttle of optimism: none, or a time window beyond GVT: adaptive, scale-free")
      ->suggest({"none", "adaptive", "scale-free"});
  add("--lookahead", lookahead_, "Lookahead of the model: used (events inside the window need no history), or ignored")
      ->one_of({"used", "ignored"});
  add("--gvt-interval", gvt_interval_, "Events that a worker processes between two GVT rounds");
  add("--turn", turn_, "Events that a worker processes between two polls for incoming messages");
  add("--max-events", max_events_, "Maximum number of event records of a worker, which bounds its memory");
  command
      .add_option(
          "--max-memory", max_memory_,
          "Memory for the events of all workers on a host, as 4GiB or 500MB; if not given, three quarters of what "
          "the host and its cgroup have available")
      ->group(group);
  add("--memory", memory_, "NUMA nodes of the event memory: local (that of the worker) or interleaved (all)")
      ->suggest({"local", "interleaved"});
  add("--exchange", exchange_,
      "rings; for threads also queues: mutex, spin-lock, lock-free; for processes also attach: payloads stay at their "
      "sender")
      ->suggest({"rings", "mutex", "spin-lock", "lock-free", "attach"});
  add("--queues", queues_, "Number of queues of each thread for exchanges with queues; rounded down to a power of two");
  add("--events", events_,
      "Events between threads: copied to the receiver, or shared (on loan in the memory of the sender)")
      ->suggest({"copied", "shared"});
  command.add_flag("--digest", digest_, "Print a digest of the committed events; equal digests mean equal events")
      ->group(group);
}

void EngineOptions::add_ranks(Command& command) { add_rank_options(command, of_ranks_); }

RankOptions EngineOptions::rank_options() const { return of_ranks_.options(threads_); }

void EngineOptions::add_event_log(Command& command) {
  command
      .add_option("--event-log", event_log_, "Directory for a log of every committed event; see laxity timewarp diff")
      ->group("Engine");
}

timewarp::Engine EngineOptions::engine(Ranks* ranks) const {
  if (ranks != nullptr && (sequential_ || processes_ != 0))
    throw UsageError("--sequential and --processes: a launcher has made the processes; say --threads of each");
  constexpr std::int64_t many = std::int64_t{1} << 40;
  timewarp::Engine engine;
  engine.sequential = sequential_;
  engine.options.threads = threads_;
  engine.options.processes = processes_;
  engine.options.ranks = ranks;
  engine.options.grace = grace_period(grace_s_);
  engine.queue = named("--queue", queue_, timewarp::all_queues);
  engine.exchange = named("--exchange", exchange_, timewarp::all_exchanges);
  engine.queues = static_cast<std::size_t>(in_range("--queues", queues_, 1, 1024));
  timewarp::WorkerOptions& worker = engine.options.worker;
  worker.optimism = named("--optimism", optimism_, timewarp::all_optimisms);
  worker.lookahead = lookahead_ == "used";
  worker.gvt_interval = static_cast<std::uint64_t>(in_range("--gvt-interval", gvt_interval_, 1, many));
  worker.turn = static_cast<std::size_t>(in_range("--turn", turn_, 1, 1 << 20));
  worker.max_events =
      static_cast<std::size_t>(in_range("--max-events", max_events_, 1024, (std::int64_t{1} << 29) - 2));
  if (!max_memory_.empty()) engine.options.max_memory = bytes_of("--max-memory", max_memory_);
  worker.events = named("--events", events_, timewarp::all_sent_events);
  worker.memory = named("--memory", memory_, timewarp::all_memory_placements);
  worker.digest = digest_;
  worker.event_log = event_log_;
  return engine;
}

std::string words_of(const timewarp::Engine& engine) {
  const timewarp::Engine defaults;
  const timewarp::WorkerOptions& worker = engine.options.worker;
  const timewarp::WorkerOptions& usual = defaults.options.worker;
  std::string words;
  const auto add = [&words](const char* option, const std::string_view value) {
    words += (words.empty() ? "" : " ") + std::string(option) + " " + std::string(value);
  };
  if (engine.queue != defaults.queue) add("--queue", name_of(engine.queue));
  if (engine.sequential) return "--sequential" + (words.empty() ? "" : " " + words);
  if (engine.options.processes > 0) add("--processes", std::to_string(engine.options.processes));
  if (engine.options.processes == 0 || engine.options.threads > 1) {
    add("--threads", std::to_string(engine.options.threads));
  }
  if (engine.exchange != defaults.exchange) {
    add("--exchange", name_of(engine.exchange));
    if (has_queues(engine.exchange)) add("--queues", std::to_string(engine.queues));
  }
  if (worker.events != usual.events) add("--events", name_of(worker.events));
  if (worker.optimism != usual.optimism) add("--optimism", name_of(worker.optimism));
  if (!worker.lookahead) add("--lookahead", "ignored");
  if (worker.gvt_interval != usual.gvt_interval) add("--gvt-interval", std::to_string(worker.gvt_interval));
  if (worker.turn != usual.turn) add("--turn", std::to_string(worker.turn));
  if (worker.memory != usual.memory) add("--memory", name_of(worker.memory));
  if (engine.options.max_memory != 0) add("--max-memory", std::to_string(engine.options.max_memory));
  if (worker.max_events != usual.max_events) add("--max-events", std::to_string(worker.max_events));
  return words;
}

std::size_t bytes_of(const char* option, const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 10> units = {{{"", 1},
                                                                          {"B", 1},
                                                                          {"kB", 1e3},
                                                                          {"MB", 1e6},
                                                                          {"GB", 1e9},
                                                                          {"TB", 1e12},
                                                                          {"KiB", 0x1p10},
                                                                          {"MiB", 0x1p20},
                                                                          {"GiB", 0x1p30},
                                                                          {"TiB", 0x1p40}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view given(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto unit = std::ranges::find_if(units, [&](const auto& known) { return known.first == given; });
  const double bytes = unit == units.end() ? 0 : number * unit->second;
  if (error == std::errc{} && bytes >= 0x1p20 && bytes <= 0x1p50) return static_cast<std::size_t>(bytes);
  throw UsageError(std::string(option) + " " + text + ": must be a size from 1MiB on, such as 500MB or 4GiB");
}

std::int64_t in_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return value;
  throw UsageError(std::string(option) + " " + std::to_string(value) + ": must be " + std::to_string(least) + " to " +
                   std::to_string(most));
}

}  // namespace laxity::cli
