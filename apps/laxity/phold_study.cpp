#include "apps/laxity/phold_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "apps/laxity/phold_tables.hpp"
#include "apps/laxity/progress_line.hpp"
#include "apps/laxity/python_interpreter.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity::cli {
namespace {

using timewarp::Statistics;

Configuration configuration_of(const PholdStudy& study) {
  const phold::Run& run = study.run;
  const phold::Options& model = run.model;
  const timewarp::WorkerOptions& worker = run.options.worker;
  return {{"team", team_of(run)},
          {"replicates", std::int64_t{study.replicates}},
          {"lps", std::int64_t{model.logical_processes}},
          {"events_per_lp", std::int64_t{model.events_per_lp}},
          {"shape", name_of(run.shape)},
          {"receivers", name_of(model.receivers)},
          {"range", std::int64_t{model.range}},
          {"remote", model.remote},
          {"parts", std::int64_t{model.parts}},
          {"mean_delay", model.mean_delay},
          {"lookahead", model.lookahead},
          {"end_time", run.end_time},
          {"queue", std::string(phold::name_of(run.queue))},
          {"optimism", name_of(worker.optimism)},
          {"gvt_interval", static_cast<std::int64_t>(worker.gvt_interval)},
          {"turn", static_cast<std::int64_t>(worker.turn)},
          {"max_events", static_cast<std::int64_t>(worker.max_events)},
          {"digest", worker.digest},
          {"seed", static_cast<std::int64_t>(run.seed)}};
}

std::string receivers_text(const phold::Options& model) {
  switch (model.receivers) {
    case phold::Receivers::range:
      return fmt::format("receivers within {}", model.range);
    case phold::Receivers::remote:
      return fmt::format("{} remote among {} parts", model.remote, model.parts);
    case phold::Receivers::uniform:
      break;
  }
  return "uniform receivers";
}

void print_head(const phold::Run& run) {
  fmt::print("PHOLD, {} shape: {} logical processes, {} events each, {}, until {}\n", name_of(run.shape),
             run.model.logical_processes, run.model.events_per_lp, receivers_text(run.model), run.end_time);
}

void print_workers(const std::vector<Statistics>& workers) {
  fmt::print("  {:>6} {:>13} {:>13} {:>12} {:>10} {:>13} {:>10} {:>12}\n", "worker", "committed", "rolled back",
             "rollbacks", "efficiency", "anti-messages", "remote", "peak events");
  for (std::size_t number = 0; number < workers.size(); ++number) {
    const Statistics& worker = workers[number];
    const std::uint64_t sent = worker.remote_events + worker.local_events;
    const double remote = sent == 0 ? 0 : static_cast<double>(worker.remote_events) / static_cast<double>(sent);
    fmt::print("  {:>6} {:>13} {:>13} {:>12} {:>8.2f} % {:>13} {:>8.2f} % {:>12}\n", number, worker.committed,
               worker.rolled_back, worker.primary_rollbacks + worker.secondary_rollbacks, 100 * worker.efficiency(),
               worker.anti_messages, 100 * remote, worker.peak_events);
  }
}

void print(const phold::Run& run, const phold::Outcome& outcome) {
  const Statistics total = outcome.total();
  const double rate = outcome.committed_per_second();
  fmt::print("{}, seed {}: {} events in {:.3f} s: {:.2f} M/s ({:.0f} ns), efficiency {:.2f} %, {} rollbacks",
             team_of(run), run.seed, total.committed, outcome.seconds, rate * 1e-6, rate > 0 ? 1e9 / rate : 0,
             100 * total.efficiency(), total.primary_rollbacks + total.secondary_rollbacks);
  if (run.options.worker.digest) fmt::print(", digest {:016x}", outcome.digest);
  fmt::print("\n");
  if (!run.sequential) print_workers(outcome.workers);
}

class PholdRunner {
 public:
  PholdRunner(const PholdStudy& study, RunDirectory& directory)
      : study_(study), directory_(directory), tables_(directory), progress_(study.quiet) {}

  /// How the study ended: at the first run that does not end, so does the study.
  phold::End run_all() {
    const int workers =
        study_.run.sequential ? 1 : study_.run.options.threads * std::max(1, study_.run.options.processes);
    directory_.note_placement(team_of(study_.run) + ": " + plan_placement(workers, study_.run.options.pin).description);
    for (int replicate = 0; replicate < study_.replicates; ++replicate) {
      if (directory_.runs_done().contains(replicate)) continue;
      const phold::End end = run_one(replicate);
      if (end != phold::End::done) return end;
    }
    return phold::End::done;
  }

 private:
  phold::End run_one(int replicate) {
    phold::Run run = study_.run;
    run.seed += static_cast<std::uint64_t>(replicate);
    PholdSeries series;
    const SteadyClock clock;
    const std::int64_t start_ns = clock.now_ns();
    const phold::Outcome outcome = phold::run_phold(run, [&](const std::vector<phold::Progress>& workers) {
      series.add({static_cast<double>(clock.now_ns() - start_ns) * 1e-9, workers});
      show(replicate, workers);
    });
    progress_.clear();
    tables_.add(replicate, replicate, run, outcome, series);
    if (outcome.end == phold::End::failed) {
      fmt::print(stderr, "laxity: {}{}", outcome.failure, outcome.failure.ends_with('\n') ? "" : "\n");
    }
    if (outcome.end == phold::End::done && !study_.quiet) print(run, outcome);
    return outcome.end;
  }

  void show(int replicate, const std::vector<phold::Progress>& workers) {
    double gvt = study_.run.end_time;
    std::uint64_t committed = 0;
    for (const phold::Progress& worker : workers) {
      gvt = std::min(gvt, worker.gvt);
      committed += worker.counts.committed;
    }
    const double done = replicate + gvt / study_.run.end_time;
    progress_.show(done / study_.replicates, fmt::format("GVT {:.4g} of {:.4g}, {:.1f} M events committed", gvt,
                                                         study_.run.end_time, static_cast<double>(committed) * 1e-6));
  }

  const PholdStudy& study_;
  RunDirectory& directory_;
  PholdTables tables_;
  ProgressLine progress_;
};

std::string default_output() {
  std::string time = utc_now();  // 2021-05-23T10:02:51Z
  std::erase_if(time, [](char letter) { return letter == ':' || letter == '-'; });
  return "runs/phold-" + time;
}

int finish(const PholdStudy& study, RunDirectory& directory, phold::End end) {
  const std::string path = directory.path().string();
  switch (end) {
    case phold::End::interrupted:
      directory.finish("interrupted");
      fmt::print(stderr,
                 "laxity: interrupted; what was seen is in {}; the same command with --output {} runs it again\n", path,
                 path);
      return 1;
    case phold::End::failed:
      directory.finish("failed");
      return 1;
    case phold::End::done:
      break;
  }
  directory.finish("done");
  if (!study.quiet) fmt::print("results in {}\n", path);
  return study.report ? run_python_laxity({"report", path}) : 0;
}

}  // namespace

int run_phold_study(const PholdStudy& study) {
  if (study.replicates < 1) throw UsageError(fmt::format("--replicates {}: at least 1", study.replicates));
  check(study.run);
  const std::filesystem::path output = study.output.empty() ? default_output() : study.output;
  Manifest manifest = manifest_of_this_machine("phold", output.filename().string(), study.argc, study.argv);
  manifest.seed = study.run.seed;
  manifest.configuration = configuration_of(study);
  RunDirectory directory(output, std::move(manifest), phold_table_formats());
  if (!study.quiet) {
    if (!directory.runs_done().empty()) {
      fmt::print("{}: {} runs are done already, going on\n", output.string(), directory.runs_done().size());
    }
    print_head(study.run);
  }
  phold::End end{};
  try {
    end = PholdRunner(study, directory).run_all();
  } catch (...) {
    directory.finish("failed");
    throw;
  }
  return finish(study, directory, end);
}

}  // namespace laxity::cli
