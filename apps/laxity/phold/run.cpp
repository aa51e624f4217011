#include "apps/laxity/phold/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/laxity/cli/progress_line.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/launch/host_disturbances.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/phold/print.hpp"
#include "apps/laxity/timewarp/print.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity::cli {
namespace {

// The files that a study writes.
struct PholdRecord {
  PholdRecord(const std::filesystem::path& output, Manifest manifest)
      : directory(output, std::move(manifest)), tables(directory), disturbances(output) {}

  RunDirectory directory;
  PholdTables tables;
  DisturbancesTable disturbances;
};

class PholdRunner {
 public:
  /// `record` is null in all ranks but the first, which writes.
  PholdRunner(const PholdStudy& study, PholdRecord* record)
      : study_(study), record_(record), progress_(study.quiet || record == nullptr) {}

  /// Returns how the study has ended. It ends at the first run that is interrupted or fails.
  phold::End run_all() {
    for (const PholdTreatment& treatment : study_.treatments) {
      if (record_ == nullptr) break;
      const Placement placement = plan_placement(treatment.run.engine.workers(), treatment.run.engine.options.pin);
      record_->directory.note_placement(team_of(treatment.run.engine) + ": " + placement.description);
    }
    // Replicates are the outermost loop, so that a drift of the machine affects all treatments alike.
    const auto treatments = static_cast<std::int64_t>(study_.treatments.size());
    for (std::int64_t run = 0; run < treatments * study_.replicates; ++run) {
      if (is_done(run)) continue;
      const phold::End end =
          run_one(run, static_cast<std::size_t>(run % treatments), static_cast<int>(run / treatments));
      if (end != phold::End::done) return end;
    }
    return phold::End::done;
  }

  /// What interrupted the study or failed in it; empty if nothing did.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  phold::End run_one(std::int64_t number, std::size_t which, int replicate) {
    PholdTreatment treatment = study_.treatments[which];
    treatment.run.seed += static_cast<std::uint64_t>(replicate);
    PholdSeries series;
    const SteadyClock clock;
    const std::int64_t start_ns = clock.now_ns();
    const HostDisturbances host_disturbances(study_.ranks);
    const phold::Outcome outcome = run_phold(treatment.run, [&](const std::vector<timewarp::Progress>& workers) {
      series.add({static_cast<double>(clock.now_ns() - start_ns) * 1e-9, workers});
      show(number, treatment.run, workers);
    });
    if (outcome.end != phold::End::done || is_single()) progress_.clear();
    const std::vector<Disturbance> disturbances = host_disturbances.since_begin();
    at_first_rank(study_.ranks, [&] {
      add_rows(record_->disturbances, number, disturbances);
      record_->tables.add(number, replicate, treatment, outcome, series);
    });
    if (outcome.end == phold::End::failed && record_ != nullptr) {
      fmt::print(stderr, "laxity: {}{}", outcome.failure, outcome.failure.ends_with('\n') ? "" : "\n");
    }
    reason_ = outcome.failure;
    if (outcome.end != phold::End::done) return outcome.end;
    if (is_single() && !study_.quiet && record_ != nullptr) print_outcome(treatment.run, outcome);
    return phold::End::done;
  }

  // The first rank decides for all.
  [[nodiscard]] bool is_done(std::int64_t run) const {
    const bool done = record_ != nullptr && record_->directory.runs_done().contains(run);
    return study_.ranks != nullptr ? study_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
  }

  [[nodiscard]] bool is_single() const noexcept { return study_.treatments.size() == 1; }

  void show(std::int64_t number, const phold::Run& run, const std::vector<timewarp::Progress>& workers) {
    const RunProgress progress = progress_of(workers, run.end_time);
    const std::size_t runs = study_.treatments.size() * static_cast<std::size_t>(study_.replicates);
    const double done = (static_cast<double>(number) + progress.gvt / run.end_time) / static_cast<double>(runs);
    progress_.show(
        done, fmt::format("run {} of {}: {}", number + 1, runs, progress_text(run.engine, progress, run.end_time)));
  }

  const PholdStudy& study_;
  PholdRecord* record_;
  ProgressLine progress_;
  std::string reason_;
};

// To be called in the rank that writes.
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
  if (done != 0) fmt::print("{}: {} runs are done already\n", output.string(), done);
  if (study.treatments.size() == 1) print_model(study.treatments.front().run);
}

// What all ranks must have in common.
std::vector<Fact> facts_of(const PholdStudy& study) {
  std::vector<Fact> facts;
  for (const auto& [name, value] : study.configuration) {
    const auto add = [&, &name = name](const auto& is) {
      if constexpr (
          requires { fmt::join(is, ","); } && !requires { std::string_view(is); })
        facts.emplace_back(name, fmt::format("{}", fmt::join(is, ",")));
      else
        facts.emplace_back(name, fmt::format("{}", is));
    };
    std::visit(add, value);
  }
  facts.emplace_back("seed", std::to_string(study.treatments.front().run.seed));
  facts.emplace_back("replicates", std::to_string(study.replicates));
  return facts;
}

int finish(const PholdStudy& study, RunDirectory& directory, phold::End end, const std::string& reason) {
  const std::string path = directory.path().string();
  switch (end) {
    case phold::End::interrupted:
      directory.finish("interrupted", reason);
      fmt::print(stderr,
                 "laxity: interrupted by {}; what was seen is in {}; the same command with --output {} goes on\n",
                 reason, path, path);
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
  const auto check_all = [&] {
    for (const PholdTreatment& treatment : study.treatments) {
      const phold::Run& run = treatment.run;
      check(run);
      if (run.end_time <= run.model.min_delay)
        throw UsageError(
            fmt::format("--end-time {}: must be later than --min-delay ({}), the earliest time of an event",
                        run.end_time, run.model.min_delay));
    }
  };
  study.ranks != nullptr ? study.ranks->agree(check_all) : check_all();
  if (study.ranks != nullptr) require_equal_on_ranks(*study.ranks, facts_of(study));
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
  if (end == phold::End::done && study.treatments.size() > 1 && !study.quiet)
    print_table(study.treatments, tallies_in(record->directory.path(), study.treatments.size()));
  return finish(study, record->directory, end, runner.reason());
}

}  // namespace laxity::cli
