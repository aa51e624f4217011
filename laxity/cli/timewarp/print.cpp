#include "laxity/cli/timewarp/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "laxity/cli/short_number.hpp"

namespace laxity::cli {
namespace {

std::string event_text(const timewarp::LogComparison& logs, const timewarp::LoggedEvent& event) {
  const timewarp::TieLayout layout(static_cast<timewarp::LpId>(logs.header.logical_processes));
  const std::uint64_t tie = event.key.tie;
  return fmt::format("time {}, priority {}, for process {}, sent by process {} as its number {}",
                     time_text(logs.header, event.key), event.key.priority(), event.receiver, layout.sender(tie),
                     layout.sequence(tie));
}

std::string difference_text(const timewarp::LogDifference& found, const std::string& first, const std::string& second) {
  using What = timewarp::LogDifference::What;
  switch (found.what) {
    case What::only_in_first:
      return fmt::format("only {} has this event", first);
    case What::only_in_second:
      return fmt::format("only {} has this event", second);
    case What::receiver:
      return fmt::format("in {} the receiver is process {}", second, found.second.receiver);
    case What::payload:
      return "the payloads differ: what the sender put into the event is not a function of its state and its events";
    case What::state:
      break;
  }
  return "the states after the event differ: the handler depends on more than its state, its event and its context";
}

}  // namespace

RunProgress progress_of(const std::vector<timewarp::Progress>& workers, double end_time) {
  RunProgress run{.gvt = end_time};
  for (const timewarp::Progress& worker : workers) {
    run.gvt = std::min(run.gvt, worker.gvt);
    run.committed += worker.counts.committed;
  }
  return run;
}

std::string progress_text(const timewarp::Engine& engine, const RunProgress& progress, double end_time) {
  return fmt::format("{}, GVT {:.4g} of {:.4g}, {} events committed", team_of(engine), progress.gvt, end_time,
                     short_number(static_cast<double>(progress.committed)));
}

std::string run_text(const timewarp::Engine& engine, std::uint64_t seed, const timewarp::Statistics& total,
                     double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(total.committed) / seconds : 0;
  const std::string hint =
      total.throttled_for_memory > 0 && !engine.sequential
          ? fmt::format(
                "memory was short in {} turns, which slows the run: allow more by --max-memory or --max-events\n",
                total.throttled_for_memory)
          : "";
  return hint + fmt::format("{}, seed {}: {} events in {:.3f} s: {}/s ({} each), efficiency {:.2f} %, {} rollbacks",
                            team_of(engine), seed, total.committed, seconds, short_number(rate),
                            short_time(rate > 0 ? 1e9 / rate : 0), 100 * total.efficiency(),
                            total.primary_rollbacks + total.secondary_rollbacks);
}

void print_difference(const timewarp::LogComparison& logs, const std::string& first, const std::string& second) {
  if (!logs.difference) {
    fmt::print("{} and {} are equal: {} committed events\n", first, second, logs.equal);
    return;
  }
  const timewarp::LogDifference& found = *logs.difference;
  fmt::print("{} and {} differ after {} equal committed events\n  {}\n  {}\n", first, second, logs.equal,
             event_text(logs, found.first), difference_text(found, first, second));
}

void print_tuning(const timewarp::Tuning& tuning, const std::string& command) {
  for (const timewarp::TuningStep& step : tuning.steps) fmt::print("{}\n", words_of(step));
  fmt::print("{} committed events per second with\n  {}\n", short_number(tuning.rate), command);
}

void print_tuning_as_json(const timewarp::Tuning& tuning, const std::string& command) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const timewarp::TuningStep& step : tuning.steps) {
    nlohmann::ordered_json choices = nlohmann::ordered_json::array();
    for (const timewarp::TuningChoice& choice : step.choices) {
      choices.push_back({{"name", choice.name},
                         {"ratio", choice.ratio},
                         {"rounds_ahead", choice.rounds_ahead},
                         {"committed_per_second", choice.rates}});
    }
    steps.push_back({{"part", step.part}, {"chosen", step.choices[step.chosen].name}, {"choices", choices}});
  }
  const nlohmann::ordered_json whole = {
      {"command", command}, {"committed_per_second", tuning.rate}, {"steps", std::move(steps)}};
  fmt::print("{}\n", whole.dump(2));
}

}  // namespace laxity::cli
