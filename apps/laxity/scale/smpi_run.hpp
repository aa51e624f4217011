// Runs graph coloring on MPI ranks under SimGrid (SMPI) with the program apps/smpi_ranks.
//
// Elsewhere: the options of the study (scale/options.cpp), starting a program (launch/smpi_launcher.hpp), the program
// (apps/smpi_ranks).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "apps/laxity/launch/smpi_launcher.hpp"
#include "laxity/metrics/manifest.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

/// The simulated cluster: all hosts on one switch; messages within a host take memory_latency_s.
struct SmpiMachine {
  double latency_s = 1e-6;          ///< of each of the two links between hosts
  double bandwidth_gbps = 10;       ///< of each, gigabits per second
  double memory_latency_s = 2e-7;   ///< of a message between ranks of one host
  double send_overhead_s = 200e-9;  ///< of a processor, for each message
  double jitter_s = 5e-6;           ///< mean of the exponentially distributed additional duration of each update
};

class SmpiRanks {
 public:
  /// Creates `folder` if necessary. Throws Error with instructions if the simulator or the program is missing.
  SmpiRanks(std::filesystem::path folder, const SmpiMachine& machine);

  /// Makes a run with one rank per worker of its partition, a number of them on each host in their order. The duration of
  /// an update is drawn from durations measured on this machine, once for each number of nodes and amount of work; a
  /// resumed study uses the same measurements. The result says whether Ctrl-C or SIGTERM interrupted the run. Throws Error
  /// with a line of the simulator's log if it fails.
  [[nodiscard]] ColoringResult run(const ColoringRun& run, int ranks_per_host);

  [[nodiscard]] Configuration configuration() const;

 private:
  [[nodiscard]] std::vector<double> update_times_ns(std::uint32_t nodes, const ColoringOptions& options) const;

  std::filesystem::path folder_;
  SmpiMachine machine_;
  SmpiLauncher launcher_;
};

}  // namespace laxity::cli
