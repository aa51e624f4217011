// Programs of MPI ranks under SimGrid (SMPI), each started by smpirun on a simulated cluster.
//
// The folder keeps the input of the last run: platform, hosts, settings of the program, and the simulator's log.
// Threads: one.
// Elsewhere: the programs (apps/smpi_ranks).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace laxity::cli {

/// The simulated cluster: all hosts on one switch. Messages within a host take a link of their own.
struct SmpiPlatform {
  int ranks_per_host = 1;             ///< each has a core
  double latency_s = 1e-6;            ///< of each of the two links between hosts
  double bandwidth_gbps = 10;         ///< of each, gigabits per second
  double memory_latency_s = 2e-7;     ///< of a message between ranks of one host
  double memory_bandwidth_gbps = 10;  ///< of messages between ranks of one host
};

class SmpiLauncher {
 public:
  /// `program` is one of those that the target smpi_ranks builds; the environment variable LAXITY_<PROGRAM> may name
  /// another file. `options` are added to those that every program gets. Creates `folder` if necessary. Throws Error
  /// with instructions if the simulator or the program is missing.
  SmpiLauncher(std::filesystem::path folder, const std::string& program, const std::vector<std::string>& options);

  /// smpirun and its options, the same for every run.
  [[nodiscard]] const std::vector<std::string>& command() const noexcept { return command_; }
  /// The file that a program is told to write.
  [[nodiscard]] std::filesystem::path result_file() const;

  /// Runs the program with these settings in a file as its only argument. False: Ctrl-C or SIGTERM interrupted it.
  /// Throws Error with a line of the simulator's log if it fails or writes no result.
  [[nodiscard]] bool run(int ranks, const SmpiPlatform& platform, const std::string& settings) const;

 private:
  std::filesystem::path folder_;
  std::string program_;
  std::vector<std::string> command_;
};

}  // namespace laxity::cli
