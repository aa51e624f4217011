// The table arrival.csv: one row per repetition of a collective, by one algorithm, under one arrival pattern.
//
// Source: the columns are described in laxity/metrics/tables.json, kind arrival. Threads: pure functions.
// Elsewhere: choosing algorithms from the measurements (selection.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "laxity/bootstrap.hpp"
#include "laxity/collective/collective.hpp"

namespace laxity::collective {

/// The last delay of a valid repetition.
struct ValidDelay {
  std::size_t turn = 0;  ///< of the benchmark, in which every cell was measured
  double last_delay_us = 0;
};

/// One cell: an algorithm under one arrival pattern.
struct Measurement {
  std::int64_t run = 0;  ///< in its table
  Collective collective = Collective::reduce;
  Algorithm algorithm;
  std::string library;  ///< name_of(Library) and the version: "Open MPI 4.1.4"
  int processes = 0;
  bool oversubscribed = false;  ///< whether some host had fewer processors than processes
  std::size_t bytes = 0;        ///< as in Operation: of the vector, or of one process's block
  std::string pattern;
  double skew_us = 0;
  std::size_t repetitions = 0;     ///< all, valid or not
  std::vector<ValidDelay> delays;  ///< of the valid repetitions

  /// Whether there are valid repetitions in enough turns for an interval of their median.
  [[nodiscard]] bool is_measured() const;
  /// The median of the valid repetitions with its 95 % interval. There must be one.
  [[nodiscard]] BootstrapInterval last_delay_us() const;
};

/// The cells of the table in a run directory, in the order of their first rows, without the runs that runs.csv does not
/// list as done (if there is a runs.csv). Throws ParseError for a malformed table, and UsageError if there is no table.
[[nodiscard]] std::vector<Measurement> read_arrival_table(const std::filesystem::path& directory);

}  // namespace laxity::collective
