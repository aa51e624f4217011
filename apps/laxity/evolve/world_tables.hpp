// The tables of a study of worlds.
//
// Threads: one. Elsewhere: what the columns mean (laxity/metrics/tables.json).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "apps/laxity/evolve/world_study.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/team_tables.hpp"
#include "workloads/evolution/run/evolution_run.hpp"

namespace laxity::cli {

class WorldTables {
 public:
  /// Opens the tables of a directory to append. Throws SystemError, Error.
  explicit WorldTables(const std::filesystem::path& directory);

  /// Writes all rows of one run. Throws SystemError naming the file.
  void add(const PlannedWorld& planned, const evolution::EvolutionRun& run, const evolution::EvolutionResult& result,
           const std::vector<Disturbance>& disturbances, bool pictured);

 private:
  void add_workers(const PlannedWorld& planned, const evolution::EvolutionResult& result);
  void add_populations(const PlannedWorld& planned, const evolution::EvolutionResult& result);
  void add_accounts(const PlannedWorld& planned, const evolution::EvolutionResult& result);
  void add_pictures(const PlannedWorld& planned, const evolution::EvolutionRun& run,
                    const evolution::EvolutionResult& result);
  void add_births(const PlannedWorld& planned, const evolution::EvolutionResult& result);
  void add_cells(const PlannedWorld& planned, const evolution::EvolutionRun& run,
                 const evolution::EvolutionResult& result);
  void add_run(const PlannedWorld& planned, const evolution::EvolutionRun& run,
               const evolution::EvolutionResult& result);

  TableWriter<tables::evolution_runs> runs_;
  WorkersTable workers_;
  QosTable qos_;
  TableWriter<tables::population> population_;
  TableWriter<tables::resource> resource_;
  TableWriter<tables::world> world_;
  TableWriter<tables::pictures> pictures_;
  TableWriter<tables::phylogeny> phylogeny_;
  DisturbancesTable disturbances_;
};

}  // namespace laxity::cli
