// The table arrival.csv: one row a repetition of one collective, by one algorithm, under one arrival pattern.
//
// Written by `laxity arrival`, read by `laxity tune` and the Python package. Rules for all tables: docs/run_format.md.
// Threads: pure functions.
// Elsewhere: choosing algorithms by it (selection.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::collective {

/// Columns that name a cell come first, then what one repetition showed. `pattern` is a name of pattern.hpp or of a
/// pattern file; `valid` is 0 if a process came late to the agreed start, such a row does not count.
inline const TableFormat arrival_format{
    "arrival.csv",
    {"run", "collective", "algorithm", "algorithm_id", "library", "version", "processes", "hosts", "bytes", "pattern",
     "skew_us", "repetition", "valid", "last_delay_us", "total_delay_us"}};

/// The valid repetitions of one cell, summarized.
struct Measurement {
  Collective collective = Collective::reduce;
  Algorithm algorithm;
  std::string library;  ///< as name_of(Library) and the version: "Open MPI 4.1.4"
  int processes = 0;
  std::size_t bytes = 0;  ///< as in Operation: the vector, or the block for one process
  std::string pattern;
  double skew_us = 0;
  std::size_t repetitions = 0;  ///< valid ones; at least 1
  double last_delay_us = 0;     ///< median
};

/// The cells of the table in a run directory, in the order of their first rows; cells without a valid repetition are
/// left out, and so are runs that never ended (without a row "done" in runs.csv, where there is one). Throws Error naming file, line and column for what cannot be read; UsageError if there is no such table.
[[nodiscard]] std::vector<Measurement> read_arrival_table(const std::filesystem::path& directory);

}  // namespace laxity::collective
