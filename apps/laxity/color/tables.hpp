// The tables of a graph coloring study: runs, workers, links, pictures and logged messages.
//
// Invariants: the row in runs.csv is written last, when everything else about the run is on disk; a run without that row
// does not count.
// Threads: one.
// Elsewhere: what the columns mean (laxity/metrics/tables.json, docs/run_format.md), the files
// (laxity/metrics/table_writer.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/laxity/color/plan.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/metrics/team_tables.hpp"

namespace laxity::cli {

/// How a run is recorded.
struct ColorRecord {
  std::string_view status;                  ///< of the run
  int hosts = 1;                            ///< that the workers ran on
  bool per_channel = false;                 ///< a row in qos.csv for each channel, not for each link
  bool picture = false;                     ///< the colors of all nodes go to picture.csv
  std::vector<Disturbance> disturbances{};  ///< by host; none if the run's time is not that of this machine
  int attempts = 1;                         ///< of which the last one is recorded
};

/// The results of the runs of one treatment, in the order of replicates.
struct ColorTally {
  ColorTreatment treatment;
  std::vector<double> rates{};  ///< updates per second and worker
  std::vector<double> conflicts{};
  std::vector<double> moves{};
};

/// The results of a study that has these treatments, from its directory: also those of runs before an interruption. Throws
/// Error for a table that is damaged.
[[nodiscard]] std::vector<ColorTally> tallies_in(const std::filesystem::path& directory,
                                                 const std::vector<ColorTreatment>& treatments);

class ColorTables {
 public:
  /// Opens the tables of a directory to append. Throws SystemError, Error.
  explicit ColorTables(const std::filesystem::path& directory);

  /// Writes all rows of one run. Throws SystemError naming the file.
  void add(const PlannedRun& planned, const ColoringRun& run, const ColoringResult& result, const ColorRecord& record);

 private:
  void add_workers(const PlannedRun& planned, const ColoringResult& result);
  void add_messages(const PlannedRun& planned, const ColoringResult& result);
  void add_picture(const PlannedRun& planned, const Topology& topology, const ColoringResult& result);
  void add_run(const PlannedRun& planned, const ColoringRun& run, const ColoringResult& result,
               const ColorRecord& record);

  TableWriter<tables::coloring_runs> runs_;
  WorkersTable workers_;
  QosTable qos_;
  TableWriter<tables::picture> picture_;
  TableWriter<tables::messages> messages_;
  DisturbancesTable disturbances_;
};

}  // namespace laxity::cli
