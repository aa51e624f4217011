#include "apps/laxity/phold/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {
namespace {

std::string_view status_of(phold::End end) {
  switch (end) {
    case phold::End::done:
      return "done";
    case phold::End::interrupted:
      return "interrupted";
    case phold::End::failed:
      break;
  }
  return "failed";
}

std::uint64_t rollbacks(const timewarp::Statistics& counts) {
  return counts.primary_rollbacks + counts.secondary_rollbacks;
}

}  // namespace

std::string name_of(phold::Shape shape) { return shape == phold::Shape::batch ? "batch" : "continuous"; }

std::string name_of(phold::Receivers receivers) {
  switch (receivers) {
    case phold::Receivers::range:
      return "range";
    case phold::Receivers::remote:
      return "remote";
    case phold::Receivers::uniform:
      break;
  }
  return "uniform";
}

void PholdSeries::add(PholdSample sample) {
  if (offered_++ % step_ != 0) return;
  samples_.push_back(std::move(sample));
  if (samples_.size() < most) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples_.size(); i += 2) std::swap(samples_[kept++], samples_[i]);
  samples_.resize(kept);
  step_ *= 2;
}

std::vector<PholdTally> tallies_in(const std::filesystem::path& directory, std::size_t treatments) {
  std::vector<PholdTally> tallies(treatments);
  const std::filesystem::path runs = directory / "runs.csv";
  const std::vector<double> numbers = read_column(runs, "run"), rates = read_column(runs, "committed_per_second");
  const std::vector<double> efficiencies = read_column(runs, "efficiency");
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    PholdTally& tally = tallies.at(static_cast<std::size_t>(numbers[row]) % treatments);
    ++tally.runs;
    tally.rate += rates[row];
    tally.efficiency += efficiencies[row];
  }
  return tallies;
}

PholdTables::PholdTables(const RunDirectory& directory)
    : runs_(directory.path()), workers_(directory.path()), timewarp_(directory.path()) {}

void PholdTables::add(std::int64_t number, int replicate, const PholdTreatment& treatment,
                      const phold::Outcome& outcome, const PholdSeries& series) {
  const phold::Run& run = treatment.run;
  const std::size_t threads = run.engine.sequential ? 1 : static_cast<std::size_t>(run.engine.options.threads);
  for (std::size_t worker = 0; worker < outcome.workers.size(); ++worker) {
    const timewarp::Statistics& counts = outcome.workers[worker];
    workers_.add(column<"run">(number), column<"worker">(worker), column<"process">(worker / threads),
                 column<"thread">(worker % threads), column<"committed">(counts.committed),
                 column<"processed">(counts.processed), column<"rolled_back">(counts.rolled_back),
                 column<"primary_rollbacks">(counts.primary_rollbacks),
                 column<"secondary_rollbacks">(counts.secondary_rollbacks),
                 column<"anti_messages">(counts.anti_messages), column<"remote_events">(counts.remote_events),
                 column<"shared_events">(counts.shared_events), column<"local_events">(counts.local_events),
                 column<"throttled">(counts.throttled), column<"gvt_rounds">(counts.gvt_rounds),
                 column<"peak_events">(counts.peak_events), column<"efficiency">(counts.efficiency()));
  }
  for (const PholdSample& sample : series.samples()) {
    for (std::size_t worker = 0; worker < sample.workers.size(); ++worker) {
      const timewarp::Progress& shown = sample.workers[worker];
      timewarp_.add(column<"run">(number), column<"worker">(worker), column<"wall_time_s">(sample.wall_time_s),
                    column<"gvt">(shown.gvt), column<"committed">(shown.counts.committed),
                    column<"processed">(shown.counts.processed), column<"rolled_back">(shown.counts.rolled_back),
                    column<"rollbacks">(rollbacks(shown.counts)), column<"remote_events">(shown.counts.remote_events),
                    column<"anti_messages">(shown.counts.anti_messages), column<"events_in_use">(shown.events_in_use));
    }
  }
  workers_.flush();
  timewarp_.flush();
  add_run(number, replicate, treatment, outcome);
  runs_.flush();
}

void PholdTables::add_run(std::int64_t number, int replicate, const PholdTreatment& treatment,
                          const phold::Outcome& outcome) {
  const phold::Run& run = treatment.run;
  const timewarp::Statistics total = outcome.total();
  const int threads = run.engine.sequential ? 1 : run.engine.options.threads;
  const int processes = run.engine.sequential ? 1 : run.engine.options.process_count();
  runs_.add(
      column<"run">(number), column<"figure">(treatment.figure), column<"replicate">(replicate),
      column<"seed">(run.seed), column<"team">(team_of(run.engine)), column<"threads">(threads),
      column<"processes">(processes), column<"workers">(threads * processes), column<"shape">(name_of(run.shape)),
      column<"receivers">(name_of(run.model.receivers)), column<"range">(run.model.range),
      column<"remote">(run.model.remote), column<"parts">(run.model.parts), column<"lps">(run.model.logical_processes),
      column<"events_per_lp">(run.model.events_per_lp), column<"queue">(timewarp::name_of(run.engine.queue)),
      column<"exchange">(timewarp::name_of(run.engine.exchange)), column<"queues">(run.engine.queues),
      column<"events">(timewarp::name_of(run.engine.options.worker.events)),
      column<"memory">(timewarp::name_of(run.engine.options.worker.memory)),
      column<"optimism">(name_of(run.engine.options.worker.optimism)),
      column<"gvt_interval">(run.engine.options.worker.gvt_interval), column<"turn">(run.engine.options.worker.turn),
      column<"seconds">(outcome.seconds), column<"committed">(total.committed), column<"processed">(total.processed),
      column<"rolled_back">(total.rolled_back), column<"rollbacks">(rollbacks(total)),
      column<"remote_events">(total.remote_events), column<"anti_messages">(total.anti_messages),
      column<"committed_per_second">(outcome.committed_per_second()), column<"efficiency">(total.efficiency()),
      column<"digest">(fmt::format("{:016x}", outcome.digest)), column<"status">(status_of(outcome.end)));
}

}  // namespace laxity::cli
