// The tables of a PHOLD run directory: a row per run, a row per worker, and what the workers showed while they ran.
//
// Invariants: as for all run directories, the row in runs.csv is written last. A run that was interrupted or failed has
// rows too, with what was last seen of it; its status says so. Threads: one. Elsewhere: what the columns mean
// (laxity/metrics/tables.json, docs/run_format.md), the files (laxity/metrics/table_writer.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "workloads/phold/phold_run.hpp"

namespace laxity::cli {

/// The names that options and tables use.
[[nodiscard]] std::string name_of(phold::Shape shape);
[[nodiscard]] std::string name_of(phold::Receivers receivers);

/// The workers at one moment of a run.
struct PholdSample {
  double wall_time_s = 0;  ///< since the run was started, set-up included
  std::vector<timewarp::Progress> workers;
};

/// Moments of a run, evenly spaced: when there are too many, every other one is dropped and from then on half as many
/// are kept.
class PholdSeries {
 public:
  void add(PholdSample sample);
  [[nodiscard]] const std::vector<PholdSample>& samples() const noexcept { return samples_; }

 private:
  static constexpr std::size_t most = 600;
  std::vector<PholdSample> samples_;
  std::size_t offered_ = 0;
  std::size_t step_ = 1;
};

/// A run to make, and what it is made for: "single", or the name of a figure of a study.
struct PholdTreatment {
  std::string figure = "single";
  phold::Run run;
};

/// The sums over the runs of a treatment.
struct PholdTally {
  int runs = 0;
  double rate = 0;  ///< committed events per second
  double efficiency = 0;
};

/// The results of a study of `treatments` treatments, from its directory: also those of runs before an interruption. Throws
/// Error for a table that is damaged.
[[nodiscard]] std::vector<PholdTally> tallies_in(const std::filesystem::path& directory, std::size_t treatments);

/// runs.csv, workers.csv and timewarp.csv.
class PholdTables {
 public:
  /// Opens the tables of a directory to append. Throws SystemError, Error.
  explicit PholdTables(const RunDirectory& directory);

  /// Writes all rows of one run. Throws SystemError naming the file.
  void add(std::int64_t number, int replicate, const PholdTreatment& treatment, const phold::Outcome& outcome,
           const PholdSeries& series);

 private:
  void add_run(std::int64_t number, int replicate, const PholdTreatment& treatment, const phold::Outcome& outcome);

  TableWriter<tables::phold_runs> runs_;
  TableWriter<tables::phold_workers> workers_;
  TableWriter<tables::timewarp> timewarp_;
};

}  // namespace laxity::cli
