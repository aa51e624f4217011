// laxity study timewarp: what the queues, the optimism controls, the models and the kinds of worker do to PHOLD.
//
// Source: the figures of D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic
// parallel simulations (SIGSIM-PADS 2018): 4 (queues), 5 and 9 (adaptive window), 7 (exchanges), 10 (config 1) and 14
// (config 2), with threads in the four configurations of 10 and 14 on their own.
// Elsewhere: how a study runs (phold/run.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/phold/run.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

using phold::Receivers;
using phold::Run;
using phold::Shape;
using timewarp::LpId;

constexpr const char* examples = R"(Examples:
  laxity study timewarp --report                  all figures, five replicates, with a report
  laxity study timewarp --figures queues,remote --replicates 10

Figures: queues    pending-event sets, one thread
         optimism  no window, adaptive, scale-free; receivers within 10 to 10,000
         exchange  rings between two threads, or 1, 2, 4 queues a thread behind a mutex, behind a spin lock, lock-free;
                   rings between two processes, or cross memory attach; half of the events go to other parts
         events    copied or shared between two threads, their memory local or interleaved over NUMA nodes; 0.1, 0.5, 0.9 of
                   the events go to other parts
         range     threads, processes, processes with cross memory attach; receivers within 10 to 10,000 (config 1)
         remote    the same and one thread; 0.1 to 0.9 of the events go to other parts (config 2)
Both shapes each. PHOLD's lookahead is ignored, as the engine of the source knows none.
A study that was interrupted goes on where it stopped: give it the same options and --output.
)";

struct Options {
  std::vector<std::string> figures{"queues", "optimism", "exchange", "events", "range", "remote"};
  int workers = 2;
  std::int64_t lps = 10'000;
  std::int64_t events_per_lp = 20;
  double events = 3e6;
  std::uint64_t seed = 1;
};

// A run of about as many events as asked for.
Run base_run(const Options& options, Shape shape) {
  Run run;
  run.shape = shape;
  run.seed = options.seed;
  run.model.logical_processes = static_cast<LpId>(options.lps);
  run.model.events_per_lp = static_cast<int>(options.events_per_lp);
  run.model.parts = static_cast<LpId>(options.workers);
  const bool batch = shape == Shape::batch;
  run.model.mean_delay = batch ? 0.2 : 10;
  const double between = run.model.min_delay + (batch ? 0.0 : run.model.mean_delay);
  run.engine.options.worker.lookahead = false;
  run.end_time = options.events * between / static_cast<double>(options.lps * options.events_per_lp);
  return run;
}

enum class Kind { sequential, threads, processes, attached_processes };

Run on(Run run, Kind kind, int workers) {
  run.engine.sequential = kind == Kind::sequential;
  run.engine.options.threads = kind == Kind::threads ? workers : 1;
  const bool is_processes = kind == Kind::processes || kind == Kind::attached_processes;
  run.engine.options.processes = is_processes ? workers : 0;
  if (kind == Kind::attached_processes) run.engine.exchange = timewarp::ExchangeKind::attach;
  return run;
}

// The ranges of the source that the model is large enough for.
std::vector<Run> by_range(const Run& base) {
  std::vector<Run> runs;
  for (const LpId range : {10U, 100U, 1000U, 10'000U}) {
    if (range > base.model.logical_processes) continue;
    Run run = base;
    run.model.receivers = Receivers::range;
    run.model.range = range;
    runs.push_back(run);
  }
  return runs;
}

std::vector<Run> queues(const Run& base, int) {
  std::vector<Run> runs;
  using timewarp::Queue;
  for (const Queue queue :
       {Queue::bucket, Queue::heap, Queue::ladder, Queue::two_tier_ladder, Queue::three_tier_heap}) {
    Run run = on(base, Kind::sequential, 1);
    run.engine.queue = queue;
    runs.push_back(run);
  }
  return runs;
}

std::vector<Run> optimism(const Run& base, int workers) {
  std::vector<Run> runs;
  using timewarp::Optimism;
  for (const Run& range : by_range(base)) {
    for (const Optimism control : {Optimism::none, Optimism::adaptive, Optimism::scale_free}) {
      Run run = on(range, Kind::threads, workers);
      run.engine.options.worker.optimism = control;
      runs.push_back(run);
    }
  }
  return runs;
}

std::vector<Run> exchange(const Run& base, int workers) {
  using timewarp::ExchangeKind;
  Run run = on(base, Kind::threads, workers);
  run.model.receivers = Receivers::remote;
  run.model.remote = 0.5;
  std::vector<Run> runs{run};
  for (const ExchangeKind kind : {ExchangeKind::mutex, ExchangeKind::spin_lock, ExchangeKind::lock_free}) {
    for (const std::size_t queues_per_thread : {1U, 2U, 4U}) {
      run.engine.exchange = kind;
      run.engine.queues = queues_per_thread;
      runs.push_back(run);
    }
  }
  for (const Kind kind : {Kind::processes, Kind::attached_processes}) runs.push_back(on(runs.front(), kind, workers));
  return runs;
}

std::vector<Run> events(const Run& base, int workers) {
  std::vector<Run> runs;
  for (const double share : {0.1, 0.5, 0.9}) {
    for (const timewarp::SentEvents sent : timewarp::all_sent_events) {
      for (const timewarp::MemoryPlacement memory : timewarp::all_memory_placements) {
        Run run = on(base, Kind::threads, workers);
        run.model.receivers = Receivers::remote;
        run.model.remote = share;
        run.engine.options.worker.events = sent;
        run.engine.options.worker.memory = memory;
        runs.push_back(run);
      }
    }
  }
  return runs;
}

std::vector<Run> range(const Run& base, int workers) {
  std::vector<Run> runs;
  for (const Run& run : by_range(base)) {
    for (const Kind kind : {Kind::threads, Kind::processes, Kind::attached_processes})
      runs.push_back(on(run, kind, workers));
  }
  return runs;
}

std::vector<Run> remote(const Run& base, int workers) {
  std::vector<Run> runs;
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    for (const Kind kind : {Kind::sequential, Kind::threads, Kind::processes, Kind::attached_processes}) {
      Run run = on(base, kind, workers);
      run.model.receivers = Receivers::remote;
      run.model.remote = share;
      runs.push_back(run);
    }
  }
  return runs;
}

std::vector<PholdTreatment> treatments_of(const Options& options) {
  std::vector<PholdTreatment> treatments;
  for (const std::string& figure : options.figures) {
    const auto runs_of = figure == "queues"     ? queues
                         : figure == "optimism" ? optimism
                         : figure == "exchange" ? exchange
                         : figure == "events"   ? events
                         : figure == "range"    ? range
                                                : remote;
    for (const Shape shape : {Shape::continuous, Shape::batch}) {
      for (const Run& run : runs_of(base_run(options, shape), options.workers)) treatments.push_back({figure, run});
    }
  }
  return treatments;
}

void check(const Options& options) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
  };
  constexpr std::int64_t max_lps = std::int64_t{1} << 26;
  require(options.lps >= 10 && options.lps <= max_lps,
          "--lps " + std::to_string(options.lps) + ": must be 10 to " + std::to_string(max_lps));
  require(options.workers >= 2 && options.workers <= options.lps,
          "--workers " + std::to_string(options.workers) + ": must be 2 to the number of logical processes");
  require(options.events_per_lp >= 1 && options.events_per_lp <= 1 << 20,
          "--events-per-lp " + std::to_string(options.events_per_lp) + ": must be 1 to " + std::to_string(1 << 20));
  // Otherwise a run ends before the first event of some processes.
  const double min_events = 2 * static_cast<double>(options.lps * options.events_per_lp);
  require(options.events >= min_events && options.events <= 1e12,
          fmt::format(
              "--events {}: must be {} to 1e12: twice the events that the logical processes start with, --lps times "
              "--events-per-lp",
              options.events, min_events));
}

Configuration configuration_of(const Options& options) {
  return {{"study", std::string("timewarp")},         {"figures", options.figures},
          {"workers", std::int64_t{options.workers}}, {"lps", options.lps},
          {"events_per_lp", options.events_per_lp},   {"events", options.events}};
}

}  // namespace

void add_study(Command& app, int argc, const char* const* argv) {
  auto* studies = app.add_subcommand("study", "Many runs that answer a question");
  studies->require_subcommand(1);
  studies->footer(R"(Examples:
  laxity study performance --report               update rates and solution quality in every asynchronicity mode
  laxity study weak-scaling --replay              64 and more virtual workers in one thread
  laxity study faulty --pause 5ms                 one worker is slow, one is stopped
  laxity study timewarp --figures queues          what the pending-event sets do to PHOLD
  laxity study custom --vary n=1,2 -- ./my_program --threads {n}

laxity study NAME --help shows the options of a study, its size and its duration. Every study can be interrupted, and resumed
with its --output.
)");
  auto* command = studies->add_subcommand("timewarp", "What queues, optimism control and kinds of worker do to PHOLD");
  command->footer(examples);
  auto study = std::make_shared<PholdStudy>();
  study->frame.argc = argc;
  study->frame.argv = argv;
  study->frame.name = "timewarp";
  study->frame.replicates = 5;
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->capture_default_str();
  };
  add("--figures", options->figures, "Which figures, separated by commas")
      ->delimiter(',')
      ->one_of({"queues", "optimism", "exchange", "events", "range", "remote"});
  add("--replicates", study->frame.replicates, "Runs of each treatment")->at_least(1);
  add("--workers", options->workers, "Threads, or forked processes");
  add("--lps", options->lps, "Logical processes");
  add("--events-per-lp", options->events_per_lp, "Events that each of them starts with");
  add("--events", options->events, "Events of a run, about");
  add("--seed", options->seed, "Seed; replicates use the following ones");
  command->add_option("--output", study->frame.output, "Run directory; runs/timewarp-<time> if not given");
  command->add_flag("--report", study->frame.report, "Write report.html at the end");
  command->add_flag("--quiet", study->frame.quiet, "No progress line and no table");
  command->callback([study, options] {
    check(*options);
    study->treatments = treatments_of(*options);
    study->frame.configuration = configuration_of(*options);
    if (const int code = run_phold_study(*study); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
