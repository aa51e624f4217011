#include "apps/laxity/phold/run.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/laxity/launch/host_disturbances.hpp"
#include "apps/laxity/phold/print.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity::cli {
namespace {

// The files that a study writes.
struct PholdRecord {
  explicit PholdRecord(const RunDirectory& directory) : tables(directory), disturbances(directory.path()) {}

  PholdTables tables;
  DisturbancesTable disturbances;
};

RunEnd end_of(phold::End end) {
  switch (end) {
    case phold::End::done:
      return RunEnd::done;
    case phold::End::interrupted:
      return RunEnd::interrupted;
    case phold::End::failed:
      break;
  }
  return RunEnd::failed;
}

class PholdRuns final : public SimulationRuns {
 public:
  explicit PholdRuns(const PholdStudy& study) : study_(study) {}

  [[nodiscard]] std::size_t treatments() const override { return study_.treatments.size(); }
  [[nodiscard]] const timewarp::Engine& engine(std::size_t treatment) const override {
    return study_.treatments[treatment].run.engine;
  }
  [[nodiscard]] double end_time(std::size_t treatment) const override {
    return study_.treatments[treatment].run.end_time;
  }

  void check() const override {
    for (const PholdTreatment& treatment : study_.treatments) {
      const phold::Run& run = treatment.run;
      phold::check(run);
      if (run.end_time <= run.model.min_delay)
        throw UsageError(
            fmt::format("--end-time {}: must be later than --min-delay ({}), the earliest time of an event",
                        run.end_time, run.model.min_delay));
    }
  }

  void open(const RunDirectory& directory) override { record_.emplace(directory); }

  [[nodiscard]] RunEnding run(const RunOfStudy& run, const timewarp::Watch& watch) override {
    treatment_ = study_.treatments[run.treatment];
    treatment_.run.seed += static_cast<std::uint64_t>(run.replicate);
    series_ = {};
    const SteadyClock clock;
    const std::int64_t start_ns = clock.now_ns();
    const HostDisturbances host_disturbances(study_.frame.ranks);
    outcome_ = run_phold(treatment_.run, [&](const std::vector<timewarp::Progress>& workers) {
      series_.add({static_cast<double>(clock.now_ns() - start_ns) * 1e-9, workers});
      watch(workers);
    });
    disturbances_ = host_disturbances.since_begin();
    return {end_of(outcome_.end), outcome_.failure};
  }

  void record(const RunOfStudy& run, const RunEnding&) override {
    add_rows(record_->disturbances, run.number, disturbances_);
    record_->tables.add(run.number, run.replicate, treatment_, outcome_, series_);
  }

  void print_begin() const override {
    if (treatments() == 1) print_model(study_.treatments.front().run);
  }
  void print_run(const RunOfStudy&) const override { print_outcome(treatment_.run, outcome_); }
  void print_end(const RunDirectory& directory) const override {
    if (treatments() > 1) print_table(study_.treatments, tallies_in(directory.path(), treatments()));
  }

 private:
  const PholdStudy& study_;
  std::optional<PholdRecord> record_;  // in the rank that writes
  PholdTreatment treatment_;           // of the last run
  PholdSeries series_;
  phold::Outcome outcome_;
  std::vector<Disturbance> disturbances_;
};

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

int run_phold_study(PholdStudy study) {
  study.frame.kind = "phold";
  study.frame.seed = study.treatments.front().run.seed;
  PholdRuns runs(study);
  return run_study(study.frame, runs);
}

}  // namespace laxity::cli
