#include "apps/laxity/study/timewarp/treatments.hpp"

#include <cstddef>

namespace laxity::cli {
namespace {

using phold::Receivers;
using phold::Run;
using timewarp::LpId;

// A run of about as many events as asked for.
Run base_run(const TimewarpStudyOptions& options, phold::Shape shape) {
  Run run;
  run.shape = shape;
  run.seed = options.seed;
  run.model.logical_processes = static_cast<LpId>(options.lps);
  run.model.events_per_lp = static_cast<int>(options.events_per_lp);
  run.model.parts = static_cast<LpId>(options.workers);
  const bool batch = shape == phold::Shape::batch;
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

}  // namespace

std::vector<PholdTreatment> treatments_of(const TimewarpStudyOptions& options) {
  std::vector<PholdTreatment> treatments;
  for (const std::string& figure : options.figures) {
    const auto runs_of = figure == "queues"     ? queues
                         : figure == "optimism" ? optimism
                         : figure == "exchange" ? exchange
                         : figure == "events"   ? events
                         : figure == "range"    ? range
                                                : remote;
    for (const phold::Shape shape : {phold::Shape::continuous, phold::Shape::batch}) {
      for (const Run& run : runs_of(base_run(options, shape), options.workers)) treatments.push_back({figure, run});
    }
  }
  return treatments;
}

}  // namespace laxity::cli
