#include "apps/laxity/phold/print.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/cli/short_number.hpp"
#include "laxity/cli/timewarp/print.hpp"

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

}  // namespace

void print_model(const phold::Run& run) {
  fmt::print("PHOLD, {} shape: {} logical processes, {} events each, {}, until {}\n", name_of(run.shape),
             run.model.logical_processes, run.model.events_per_lp, receivers_text(run.model), run.end_time);
}

void print_outcome(const phold::Run& run, const phold::Outcome& outcome) {
  fmt::print("{}", run_text(run.engine, run.seed, outcome.total(), outcome.seconds));
  if (outcome.ended_at) fmt::print(", ended at {:.10g}", *outcome.ended_at);
  if (run.engine.options.worker.digest) fmt::print(", digest {:016x}", outcome.digest);
  fmt::print("\n");
  if (!run.engine.sequential) print_workers(outcome.workers);
}

void print_table(const std::vector<PholdTreatment>& treatments, const std::vector<PholdTally>& tallies) {
  fmt::print("{:<9} {:<11} {:<24} {:<11} {:<16} {:<13} {:<11} {:>4} {:>8} {:>11}\n", "figure", "shape", "receivers",
             "team", "queue", "exchange", "optimism", "runs", "events/s", "efficiency");
  for (std::size_t number = 0; number < tallies.size(); ++number) {
    const auto& [figure, run] = treatments[number];
    const PholdTally& tally = tallies[number];
    if (tally.runs == 0) continue;
    fmt::print("{:<9} {:<11} {:<24} {:<11} {:<16} {:<13} {:<11} {:>4} {:>8} {:>9.2f} %\n", figure, name_of(run.shape),
               receivers_text(run.model), team_of(run.engine), timewarp::name_of(run.engine.queue), exchange_text(run),
               name_of(run.engine.options.worker.optimism), tally.runs, short_number(tally.rate / tally.runs),
               100 * tally.efficiency / tally.runs);
  }
}

}  // namespace laxity::cli
