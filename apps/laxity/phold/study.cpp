#include "apps/laxity/phold/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity::cli {
namespace {

using timewarp::Statistics;

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

std::string exchange_text(const phold::Run& run) {
  std::string text(timewarp::name_of(run.engine.exchange));
  if (has_queues(run.engine.exchange)) text += fmt::format(" x {}", run.engine.queues);
  if (run.engine.options.worker.events == timewarp::SentEvents::shared) text += ", shared";
  return text;
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
             team_of(run.engine), run.seed, total.committed, outcome.seconds, rate * 1e-6, rate > 0 ? 1e9 / rate : 0,
             100 * total.efficiency(), total.primary_rollbacks + total.secondary_rollbacks);
  if (outcome.ended_at) fmt::print(", ended at {:.10g}", *outcome.ended_at);
  if (run.engine.options.worker.digest) fmt::print(", digest {:016x}", outcome.digest);
  fmt::print("\n");
  if (!run.engine.sequential) print_workers(outcome.workers);
}

// What a treatment of a study came to, for the table on the terminal.
struct Tally {
  int runs = 0;
  double rate = 0;
  double efficiency = 0;
};

// What a study leaves behind.
struct PholdRecord {
  PholdRecord(const std::filesystem::path& output, Manifest manifest)
      : directory(output, std::move(manifest)), tables(directory) {}

  RunDirectory directory;
  PholdTables tables;
};

class PholdRunner {
 public:
  /// `record` is there in the rank that writes.
  PholdRunner(const PholdStudy& study, PholdRecord* record)
      : study_(study),
        record_(record),
        progress_(study.quiet || record == nullptr),
        tallies_(study.treatments.size()) {}

  /// How the study ended: at the first run that does not end, so does the study.
  phold::End run_all() {
    for (const PholdTreatment& treatment : study_.treatments) {
      if (record_ == nullptr) break;
      const Placement placement = plan_placement(treatment.run.engine.workers(), treatment.run.engine.options.pin);
      record_->directory.note_placement(team_of(treatment.run.engine) + ": " + placement.description);
    }
    // Replicates are the outermost loop: what drifts on the machine drifts for all treatments alike.
    const auto treatments = static_cast<std::int64_t>(study_.treatments.size());
    for (std::int64_t run = 0; run < treatments * study_.replicates; ++run) {
      if (is_done(run)) continue;
      const phold::End end =
          run_one(run, static_cast<std::size_t>(run % treatments), static_cast<int>(run / treatments));
      if (end != phold::End::done) return end;
    }
    return phold::End::done;
  }

  void print_table() const {
    fmt::print("{:<9} {:<11} {:<24} {:<11} {:<16} {:<13} {:<11} {:>4} {:>7} {:>11}\n", "figure", "shape", "receivers",
               "team", "queue", "exchange", "optimism", "runs", "M/s", "efficiency");
    for (std::size_t number = 0; number < tallies_.size(); ++number) {
      const auto& [figure, run] = study_.treatments[number];
      const Tally& tally = tallies_[number];
      if (tally.runs == 0) continue;
      fmt::print("{:<9} {:<11} {:<24} {:<11} {:<16} {:<13} {:<11} {:>4} {:>7.2f} {:>9.2f} %\n", figure,
                 name_of(run.shape), receivers_text(run.model), team_of(run.engine),
                 timewarp::name_of(run.engine.queue), exchange_text(run), name_of(run.engine.options.worker.optimism),
                 tally.runs, tally.rate / tally.runs * 1e-6, 100 * tally.efficiency / tally.runs);
    }
  }

 private:
  phold::End run_one(std::int64_t number, std::size_t which, int replicate) {
    PholdTreatment treatment = study_.treatments[which];
    treatment.run.seed += static_cast<std::uint64_t>(replicate);
    PholdSeries series;
    const SteadyClock clock;
    const std::int64_t start_ns = clock.now_ns();
    const phold::Outcome outcome = run_phold(treatment.run, [&](const std::vector<timewarp::Progress>& workers) {
      series.add({static_cast<double>(clock.now_ns() - start_ns) * 1e-9, workers});
      show(number, treatment.run, workers);
    });
    if (outcome.end != phold::End::done || is_single()) progress_.clear();
    at_first_rank(study_.ranks, [&] { record_->tables.add(number, replicate, treatment, outcome, series); });
    if (outcome.end == phold::End::failed && record_ != nullptr) {
      fmt::print(stderr, "laxity: {}{}", outcome.failure, outcome.failure.ends_with('\n') ? "" : "\n");
    }
    if (outcome.end != phold::End::done) return outcome.end;
    if (is_single() && !study_.quiet && record_ != nullptr) print(treatment.run, outcome);
    Tally& tally = tallies_[which];
    ++tally.runs;
    tally.rate += outcome.committed_per_second();
    tally.efficiency += outcome.total().efficiency();
    return phold::End::done;
  }

  // The rank that writes knows.
  [[nodiscard]] bool is_done(std::int64_t run) const {
    const bool done = record_ != nullptr && record_->directory.runs_done().contains(run);
    return study_.ranks != nullptr ? study_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
  }

  [[nodiscard]] bool is_single() const noexcept { return study_.treatments.size() == 1; }

  void show(std::int64_t number, const phold::Run& run, const std::vector<timewarp::Progress>& workers) {
    double gvt = run.end_time;
    std::uint64_t committed = 0;
    for (const timewarp::Progress& worker : workers) {
      gvt = std::min(gvt, worker.gvt);
      committed += worker.counts.committed;
    }
    const std::size_t runs = study_.treatments.size() * static_cast<std::size_t>(study_.replicates);
    const double done = (static_cast<double>(number) + gvt / run.end_time) / static_cast<double>(runs);
    progress_.show(done,
                   fmt::format("run {} of {}: {}, GVT {:.4g} of {:.4g}, {:.1f} M events committed", number + 1, runs,
                               team_of(run.engine), gvt, run.end_time, static_cast<double>(committed) * 1e-6));
  }

  const PholdStudy& study_;
  PholdRecord* record_;
  ProgressLine progress_;
  std::vector<Tally> tallies_;
};

// Of rank 0 if there are ranks.
void open_record(const PholdStudy& study, std::optional<PholdRecord>& record) {
  const std::filesystem::path output = study.output.empty() ? default_output(study.name) : study.output;
  Manifest manifest = manifest_of_this_machine("phold", output.filename().string(), study.argc, study.argv);
  manifest.seed = study.treatments.front().run.seed;
  manifest.configuration = study.configuration;
  manifest.configuration.emplace_back("replicates", std::int64_t{study.replicates});
  manifest.configuration.emplace_back("seed", static_cast<std::int64_t>(manifest.seed));
  if (study.ranks != nullptr) {
    manifest.versions["mpi"] = study.ranks->library();
    manifest.hosts = study.ranks->map().host_names;
  }
  record.emplace(output, std::move(manifest));
  if (study.quiet) return;
  const std::size_t done = record->directory.runs_done().size();
  if (done != 0) fmt::print("{}: {} runs are done already, going on\n", output.string(), done);
  if (study.treatments.size() == 1) print_head(study.treatments.front().run);
}

int finish(const PholdStudy& study, RunDirectory& directory, phold::End end) {
  const std::string path = directory.path().string();
  switch (end) {
    case phold::End::interrupted:
      directory.finish("interrupted");
      fmt::print(stderr, "laxity: interrupted; what was seen is in {}; the same command with --output {} goes on\n",
                 path, path);
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

Configuration configuration_of(const phold::Run& run) {
  const phold::Options& model = run.model;
  const timewarp::WorkerOptions& worker = run.engine.options.worker;
  Configuration configuration = {{"team", team_of(run.engine)},
                                 {"lps", std::int64_t{model.logical_processes}},
                                 {"events_per_lp", std::int64_t{model.events_per_lp}},
                                 {"shape", name_of(run.shape)},
                                 {"receivers", name_of(model.receivers)},
                                 {"range", std::int64_t{model.range}},
                                 {"remote", model.remote},
                                 {"parts", std::int64_t{model.parts}},
                                 {"mean_delay", model.mean_delay},
                                 {"min_delay", model.min_delay},
                                 {"end_time", run.end_time},
                                 {"state_saving", std::string(timewarp::name_of(run.state_saving))},
                                 {"queue", std::string(timewarp::name_of(run.engine.queue))},
                                 {"exchange", std::string(timewarp::name_of(run.engine.exchange))},
                                 {"queues", static_cast<std::int64_t>(run.engine.queues)},
                                 {"optimism", std::string(name_of(worker.optimism))},
                                 {"events", std::string(timewarp::name_of(worker.events))},
                                 {"memory", std::string(timewarp::name_of(worker.memory))},
                                 {"gvt_interval", static_cast<std::int64_t>(worker.gvt_interval)},
                                 {"turn", static_cast<std::int64_t>(worker.turn)},
                                 {"max_events", static_cast<std::int64_t>(worker.max_events)},
                                 {"digest", worker.digest}};
  constexpr auto never = phold::Options{}.until_handled;
  if (model.until_handled != never) {
    configuration.emplace_back("until_handled", static_cast<std::int64_t>(model.until_handled));
  }
  return configuration;
}

int run_phold_study(const PholdStudy& study) {
  if (study.replicates < 1) throw UsageError(fmt::format("--replicates {}: at least 1", study.replicates));
  const auto check_all = [&] {
    for (const PholdTreatment& treatment : study.treatments) check(treatment.run);
  };
  study.ranks != nullptr ? study.ranks->agree(check_all) : check_all();
  std::optional<PholdRecord> record;
  at_first_rank(study.ranks, [&] { open_record(study, record); });

  phold::End end{};
  PholdRunner runner(study, record ? &*record : nullptr);
  try {
    end = runner.run_all();
  } catch (...) {
    if (record) record->directory.finish("failed");
    throw;
  }
  if (!record) return end == phold::End::done ? 0 : 1;
  if (end == phold::End::done && study.treatments.size() > 1 && !study.quiet) runner.print_table();
  return finish(study, record->directory, end);
}

}  // namespace laxity::cli
