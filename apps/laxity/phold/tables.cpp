#include "apps/laxity/phold/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace laxity::cli {
namespace {

enum Table : std::size_t { runs, workers, timewarp_series };

CsvTable open(const RunDirectory& directory, Table table) {
  const TableFormat& format = phold_table_formats()[table];
  return {directory.path() / format.file, format.columns};
}

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

const std::vector<TableFormat>& phold_table_formats() {
  static const std::vector<TableFormat> formats{
      {"runs.csv",
       {"run",
        "figure",
        "replicate",
        "seed",
        "team",
        "threads",
        "processes",
        "workers",
        "shape",
        "receivers",
        "range",
        "remote",
        "parts",
        "lps",
        "events_per_lp",
        "queue",
        "exchange",
        "queues",
        "events",
        "memory",
        "optimism",
        "gvt_interval",
        "turn",
        "seconds",
        "committed",
        "processed",
        "rolled_back",
        "rollbacks",
        "remote_events",
        "anti_messages",
        "committed_per_second",
        "efficiency",
        "digest",
        "status"}},
      {"workers.csv",
       {"run", "worker", "process", "thread", "committed", "processed", "rolled_back", "primary_rollbacks",
        "secondary_rollbacks", "anti_messages", "remote_events", "shared_events", "local_events", "throttled",
        "gvt_rounds", "peak_events", "efficiency"}},
      {"timewarp.csv",
       {"run", "worker", "wall_time_s", "gvt", "committed", "processed", "rolled_back", "rollbacks", "remote_events",
        "anti_messages", "events_in_use"}},
  };
  return formats;
}

PholdTables::PholdTables(const RunDirectory& directory)
    : runs_(open(directory, Table::runs)),
      workers_(open(directory, Table::workers)),
      timewarp_(open(directory, Table::timewarp_series)) {}

void PholdTables::add(std::int64_t number, int replicate, const PholdTreatment& treatment,
                      const phold::Outcome& outcome, const PholdSeries& series) {
  const phold::Run& run = treatment.run;
  const std::size_t threads = run.engine.sequential ? 1 : static_cast<std::size_t>(run.engine.options.threads);
  for (std::size_t worker = 0; worker < outcome.workers.size(); ++worker) {
    const timewarp::Statistics& counts = outcome.workers[worker];
    workers_.add(number, worker, worker / threads, worker % threads, counts.committed, counts.processed,
                 counts.rolled_back, counts.primary_rollbacks, counts.secondary_rollbacks, counts.anti_messages,
                 counts.remote_events, counts.shared_events, counts.local_events, counts.throttled, counts.gvt_rounds,
                 counts.peak_events, counts.efficiency());
  }
  for (const PholdSample& sample : series.samples()) {
    for (std::size_t worker = 0; worker < sample.workers.size(); ++worker) {
      const timewarp::Progress& shown = sample.workers[worker];
      timewarp_.add(number, worker, sample.wall_time_s, shown.gvt, shown.counts.committed, shown.counts.processed,
                    shown.counts.rolled_back, rollbacks(shown.counts), shown.counts.remote_events,
                    shown.counts.anti_messages, shown.events_in_use);
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
  runs_.add(number, treatment.figure, replicate, run.seed, team_of(run.engine), threads, processes, threads * processes,
            name_of(run.shape), name_of(run.model.receivers), run.model.range, run.model.remote, run.model.parts,
            run.model.logical_processes, run.model.events_per_lp, timewarp::name_of(run.engine.queue),
            timewarp::name_of(run.engine.exchange), run.engine.queues,
            timewarp::name_of(run.engine.options.worker.events), timewarp::name_of(run.engine.options.worker.memory),
            name_of(run.engine.options.worker.optimism), run.engine.options.worker.gvt_interval,
            run.engine.options.worker.turn, outcome.seconds, total.committed, total.processed, total.rolled_back,
            rollbacks(total), total.remote_events, total.anti_messages, outcome.committed_per_second(),
            total.efficiency(), fmt::format("{:016x}", outcome.digest), status_of(outcome.end));
}

}  // namespace laxity::cli
