#include "apps/laxity/arrival/choice_tables.hpp"

#include <algorithm>
#include <iostream>
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

void write_cells(const std::filesystem::path& directory, const std::vector<Measurement>& measurements) {
  auto table = new_table<tables::cells>(directory);
  for (const Measurement& cell : measurements) {
    const Interval delay_us = cell.delays.empty() ? Interval{} : cell.last_delay_us();
    table.add(column<"run">(cell.run), column<"collective">(name_of(cell.collective)), column<"bytes">(cell.bytes),
              column<"algorithm">(cell.algorithm.name), column<"algorithm_id">(cell.algorithm.id),
              column<"pattern">(cell.pattern), column<"skew_us">(cell.skew_us), column<"repetitions">(cell.repetitions),
              column<"valid">(cell.delays.size()), column<"measured">(cell.is_measured() ? 1 : 0),
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

}  // namespace

void conclude(const std::filesystem::path& directory, bool quiet) {
  const auto measurements = collective::read_arrival_table(directory);
  const auto selections = collective::select_algorithms(measurements, collective::application_pattern);
  write_cells(directory, measurements);
  write_candidates(directory, selections);
  if (!quiet && !measurements.empty()) print_choices(selections, measurements.front().library, std::cout);
}

}  // namespace laxity::cli
