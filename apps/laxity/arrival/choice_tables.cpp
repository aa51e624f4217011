#include "apps/laxity/arrival/choice_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/laxity/tune/print.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/collective/selection/arrival_table.hpp"
#include "laxity/collective/selection/selection.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {
namespace {

using collective::ChoiceKind;
using collective::Measurement;
using collective::Selection;

// A table that is written anew whenever the measurements have changed.
template <const TableDescription& table>
TableWriter<table> new_table(const std::filesystem::path& directory) {
  std::filesystem::remove(directory / table.file);
  return TableWriter<table>(directory);
}

// `exact`: from a simulation, where one repetition says all.
void write_cells(const std::filesystem::path& directory, const std::vector<Measurement>& measurements, bool exact) {
  auto table = new_table<tables::cells>(directory);
  for (const Measurement& cell : measurements) {
    const BootstrapInterval delay_us = cell.delays.empty() ? BootstrapInterval{} : cell.last_delay_us();
    table.add(column<"run">(cell.run), column<"collective">(name_of(cell.collective)), column<"bytes">(cell.bytes),
              column<"algorithm">(cell.algorithm.name), column<"algorithm_id">(cell.algorithm.id),
              column<"pattern">(cell.pattern), column<"skew_us">(cell.skew_us), column<"repetitions">(cell.repetitions),
              column<"valid">(cell.delays.size()), column<"measured">(exact || cell.is_measured() ? 1 : 0),
              column<"last_delay_us">(delay_us.middle), column<"low_us">(delay_us.low),
              column<"high_us">(delay_us.high));
  }
  table.flush();
}

// 1 if this candidate is the choice of a kind, which is the library's own choice if no other is faster.
int is_choice(const Selection& selection, const collective::Candidate& candidate, ChoiceKind kind) {
  if (!candidate.cost(kind)) return 0;
  const collective::Candidate* const best = selection.chosen(kind);
  return (best == nullptr ? candidate.algorithm.id == 0 : best == &candidate) ? 1 : 0;
}

void write_candidates(const std::filesystem::path& directory, const std::vector<Selection>& selections) {
  auto table = new_table<tables::candidates>(directory);
  for (const Selection& selection : selections) {
    for (const collective::Candidate& candidate : selection.candidates) {
      const collective::Cost& cost = *candidate.cost(ChoiceKind::robust);
      table.add(column<"run">(selection.run), column<"collective">(name_of(selection.collective)),
                column<"bytes">(selection.bytes), column<"algorithm">(candidate.algorithm.name),
                column<"algorithm_id">(candidate.algorithm.id), column<"conditions">(selection.conditions),
                column<"shared">(selection.shared), column<"repetitions">(candidate.repetitions),
                column<"mean">(cost.value), column<"worst">(candidate.worst),
                column<"worst_pattern">(candidate.worst_pattern), column<"ratio">(cost.ratio.middle),
                column<"ratio_low">(cost.ratio.low), column<"ratio_high">(cost.ratio.high),
                column<"robust">(is_choice(selection, candidate, ChoiceKind::robust)),
                column<"no_delay">(is_choice(selection, candidate, ChoiceKind::no_delay)),
                column<"application">(is_choice(selection, candidate, ChoiceKind::traced)));
    }
  }
  table.flush();
}

// The simulated last delays of one run: of each algorithm under each condition. All algorithms have the same conditions,
// in the order of the table, no_delay first.
using SimulatedDelays = std::vector<std::vector<const Measurement*>>;

double delay_us(const Measurement& cell) { return cell.delays.front().last_delay_us; }

std::map<std::int64_t, SimulatedDelays> simulated_delays(const std::vector<Measurement>& measurements) {
  std::map<std::int64_t, std::map<int, std::vector<const Measurement*>>> by_algorithm;
  for (const Measurement& cell : measurements) by_algorithm[cell.run][cell.algorithm.id].push_back(&cell);
  std::map<std::int64_t, SimulatedDelays> runs;
  for (auto& [run, algorithms] : by_algorithm)
    for (auto& [id, cells] : algorithms) runs[run].push_back(std::move(cells));
  return runs;
}

// The fastest algorithm under a condition.
std::size_t fastest(const SimulatedDelays& run, std::size_t condition) {
  const auto by_delay = [&](const auto& a, const auto& b) { return delay_us(*a[condition]) < delay_us(*b[condition]); };
  return static_cast<std::size_t>(std::ranges::min_element(run, by_delay) - run.begin());
}

// One row of candidates.csv for each algorithm. Where the fastest algorithm has no last delay at all (the late rank is
// the root, and nothing costs time after its arrival), nothing can be divided by it: such a condition does not count.
void add_simulated(TableWriter<tables::candidates>& table, const SimulatedDelays& run) {
  struct Normalized {
    double mean = 0, worst = 0;
    std::string worst_pattern;
  };
  const std::vector<const Measurement*>& conditions = run.front();
  std::vector<Normalized> normalized(run.size());
  std::size_t tried = 0, counted = 0;
  std::optional<std::size_t> best_for_application;
  for (std::size_t condition = 0; condition < conditions.size(); ++condition) {
    const std::size_t best = fastest(run, condition);
    if (conditions[condition]->pattern == collective::application_pattern) {
      best_for_application = best;
      continue;
    }
    ++tried;
    const double smallest_us = delay_us(*run[best][condition]);
    if (smallest_us <= 0) continue;
    ++counted;
    for (std::size_t at = 0; at < run.size(); ++at) {
      const double ratio = delay_us(*run[at][condition]) / smallest_us;
      normalized[at].mean += (ratio - normalized[at].mean) / static_cast<double>(counted);
      if (ratio <= normalized[at].worst) continue;
      normalized[at].worst = ratio;
      normalized[at].worst_pattern = conditions[condition]->pattern;
    }
  }
  const std::size_t reference = fastest(run, 0);
  const auto robust =
      static_cast<std::size_t>(std::ranges::min_element(normalized, {}, &Normalized::mean) - normalized.begin());
  for (std::size_t at = 0; at < run.size(); ++at) {
    const Measurement& cell = *run[at].front();
    const double ratio = counted == 0 ? 1 : normalized[at].mean / normalized[reference].mean;
    table.add(column<"run">(cell.run), column<"collective">(name_of(cell.collective)), column<"bytes">(cell.bytes),
              column<"algorithm">(cell.algorithm.name), column<"algorithm_id">(cell.algorithm.id),
              column<"conditions">(tried), column<"shared">(counted), column<"repetitions">(1),
              column<"mean">(normalized[at].mean), column<"worst">(normalized[at].worst),
              column<"worst_pattern">(normalized[at].worst_pattern), column<"ratio">(ratio), column<"ratio_low">(ratio),
              column<"ratio_high">(ratio), column<"robust">(at == robust ? 1 : 0),
              column<"no_delay">(at == reference ? 1 : 0), column<"application">(best_for_application == at ? 1 : 0));
  }
}

// The fastest algorithm under every condition, and its last delay as a share of that of the choice without delay.
void print_fastest(const SimulatedDelays& run) {
  const std::size_t reference = fastest(run, 0);
  fmt::print("{}, {} ranks, {} bytes: the fastest algorithm without delay is {}\n",
             name_of(run[reference].front()->collective), run[reference].front()->processes,
             run[reference].front()->bytes, run[reference].front()->algorithm.name);
  for (std::size_t condition = 1; condition < run.front().size(); ++condition) {
    const std::size_t best = fastest(run, condition);
    const Measurement& cell = *run[best][condition];
    const double usual_us = delay_us(*run[reference][condition]);
    fmt::print("  {:<16} {:<24} {:>12.3f} us", cell.pattern, cell.algorithm.name, delay_us(cell));
    if (usual_us > 0) fmt::print("{:>8.2f}", delay_us(cell) / usual_us);
    fmt::print("\n");
  }
}

}  // namespace

void conclude(const std::filesystem::path& directory, bool quiet) {
  const auto measurements = collective::read_arrival_table(directory);
  const auto selections = collective::select_algorithms(measurements, collective::application_pattern);
  write_cells(directory, measurements, false);
  write_candidates(directory, selections);
  if (!quiet && !measurements.empty()) print_choices(selections, measurements.front().library, std::cout);
}

void conclude_simulation(const std::filesystem::path& directory, bool quiet) {
  const auto measurements = collective::read_arrival_table(directory);
  write_cells(directory, measurements, true);
  auto table = new_table<tables::candidates>(directory);
  for (const auto& [number, run] : simulated_delays(measurements)) {
    add_simulated(table, run);
    if (!quiet) print_fastest(run);
  }
  table.flush();
}

}  // namespace laxity::cli
