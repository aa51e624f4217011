// The table arrival.csv: one row per repetition of a collective, by one algorithm, under one arrival pattern.
//
// Source: the columns are described in laxity/metrics/tables.json, kind arrival. Threads: pure functions.
// Elsewhere: choosing algorithms from the measurements (selection.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::collective {

/// The summary of one cell, from its valid repetitions.
struct Measurement {
  Collective collective = Collective::reduce;
  Algorithm algorithm;
  std::string library;  ///< name_of(Library) and the version: "Open MPI 4.1.4"
  int processes = 0;
  std::size_t bytes = 0;  ///< as in Operation: of the vector, or of one process's block
  std::string pattern;
  double skew_us = 0;
  std::size_t repetitions = 0;  ///< number of valid repetitions; at least 1
  double last_delay_us = 0;     ///< their median
};

/// The cells of the table in a run directory, in the order of their first rows. Cells without a valid repetition are left
/// out, as are runs that runs.csv does not list as done (if there is a runs.csv). Throws ParseError for a malformed table,
/// and UsageError if there is no table.
[[nodiscard]] std::vector<Measurement> read_arrival_table(const std::filesystem::path& directory);

}  // namespace laxity::collective
