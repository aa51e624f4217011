// The machine that a schedule is simulated on: a hierarchy of networks, each with the parameters of the LogGP model.
//
// Source: Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995; the limit for synchronous messages is the S of
// LogGPS, Ino, Fujimoto, Hagihara, PPoPP 2001.
// Threads: values.
// Elsewhere: machines in files (machine_file.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laxity::schedule {

/// A network that connects groups of consecutive ranks.
struct Level {
  std::string name;            ///< "host", "network"
  std::uint32_t ranks = 0;     ///< in a group, such as the cores of a host; 0: all
  double latency_us = 0;       ///< L: from the end of the send overhead to the arrival of the first byte
  double overhead_us = 0;      ///< o: processor time of each send and of each receive
  double gap_us = 0;           ///< g: least time between two messages of one network interface
  double gap_per_byte_ns = 0;  ///< G: inverse of the bandwidth
};

struct Machine {
  std::string name;
  std::vector<Level> levels;            ///< from the innermost to the outermost, whose `ranks` is 0
  std::uint64_t eager_limit_bytes = 0;  ///< S: a larger message waits for its receive; 0: no message does

  /// The innermost level whose group holds both ranks.
  [[nodiscard]] const Level& level_between(std::uint32_t a, std::uint32_t b) const noexcept;
  /// Number of groups that the outermost level connects.
  [[nodiscard]] std::uint32_t hosts(std::uint32_t ranks) const noexcept;
};

/// Throws UsageError naming the level and the parameter: the levels must grow, each must hold a whole number of groups
/// of the one below, the last must hold all ranks, and no parameter may be negative or not finite.
void require_valid(const Machine& machine);

}  // namespace laxity::schedule
