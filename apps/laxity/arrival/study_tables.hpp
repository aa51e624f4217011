// The run directory of a study of collectives under arrival patterns, measured or simulated.
//
// Threads: one. Elsewhere: the measurement (arrival/run.cpp), the simulation (arrival/simulate.cpp), the choices
// (arrival/choice_tables.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/laxity/arrival/study.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {

/// A block, and the algorithms that are not measured, with their verdict in the table.
struct PlannedBlock {
  collective::ArrivalBlock block;
  std::vector<std::pair<collective::Algorithm, std::string_view>> left_out;
};

/// Where the times of a study come from.
struct ArrivalSource {
  std::string library, version;  ///< of the MPI; of a simulation "simulated" and the name of the machine
  int processes = 1, hosts = 1;
  bool oversubscribed = false;
  Configuration configuration{};  ///< besides what every study has
};

class ArrivalTables {
 public:
  /// Creates the run directory, or opens it to resume the study.
  ArrivalTables(const ArrivalStudy& study, ArrivalSource source);

  [[nodiscard]] RunDirectory& directory() noexcept { return directory_; }
  /// `disturbances`: by host; none of a simulation.
  void add(std::int64_t run, const PlannedBlock& planned, const collective::BlockResult& result, double seconds,
           const std::vector<Disturbance>& disturbances = {});

 private:
  [[nodiscard]] Manifest manifest_of(const ArrivalStudy& study) const;
  void add_algorithm(std::int64_t run, const collective::ArrivalBlock& block, const collective::Algorithm& algorithm,
                     std::string_view verdict);

  ArrivalSource source_;
  std::filesystem::path path_;
  RunDirectory directory_;
  TableWriter<tables::arrival_runs> runs_;
  TableWriter<tables::algorithms> algorithms_;
  TableWriter<tables::arrival> arrival_;
  DisturbancesTable disturbances_;
};

}  // namespace laxity::cli
