// Runs graph coloring on ranks simulated by SimGrid (SMPI), through the program apps/smpi_ranks.
//
// Every run leaves what it was given in its folder: the platform, the settings, the simulator's options and its log.
// Elsewhere: the options of the study (scale/options.cpp), the program (apps/smpi_ranks).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "laxity/metrics/manifest.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

/// The machine that is simulated: one rank a node, every node on a switch.
struct SimulatedMachine {
  double latency_us = 1;          ///< of each of the two links between nodes
  double bandwidth_gbps = 10;     ///< of each, gigabits per second
  double send_overhead_ns = 200;  ///< of a processor, for each message
  double jitter_us = 5;           ///< mean of an exponentially distributed time that every update takes longer
};

class SimulatedRanks {
 public:
  /// `folder` is made if it is not there. Throws UsageError for a machine that makes no sense, Error that says what to
  /// do if the simulator or the program is missing.
  SimulatedRanks(std::filesystem::path folder, const SimulatedMachine& machine);

  /// A run with a rank for each worker of its partition. The time of an update is drawn from those measured on this
  /// machine, once for each number of nodes and amount of work; a study that goes on takes the times it began with.
  /// A run that Ctrl-C or SIGTERM ended says so. Throws Error with a line of the simulator's log if it fails.
  [[nodiscard]] ColoringResult run(const ColoringRun& run);

  [[nodiscard]] Configuration configuration() const;

 private:
  [[nodiscard]] std::vector<double> update_times_ns(std::uint32_t nodes, const ColoringOptions& options) const;
  [[nodiscard]] std::vector<std::string> command(int ranks) const;
  void write_machine(int ranks) const;
  /// False: interrupted.
  [[nodiscard]] bool simulate(int ranks) const;

  std::filesystem::path folder_;
  SimulatedMachine machine_;
};

}  // namespace laxity::cli
