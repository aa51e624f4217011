// The options of `laxity color --replay`: the pace of virtual workers and the faults of the links between them.
//
// Elsewhere: where they stand on the command line (color/options.cpp), what they do (workloads/coloring/replayed_coloring.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "laxity/mesh/replay.hpp"
#include "laxity/metrics/manifest.hpp"

namespace laxity::cli {

struct ColorSimulation {
  bool asked_for = false;
  ReplayOptions options{.period_ns = 10'000};            ///< workers, seed and slowness are filled in for each run
  std::vector<std::pair<std::uint32_t, double>> slow{};  ///< worker, factor on its period
  std::pair<double, double> frozen_s{0, 0};              ///< no frame arrives from .. until; equal: never

  /// Throws UsageError naming the option that makes no sense.
  void check() const;

  /// What one run does. Throws UsageError if a slow worker is not among its workers, or if the updates would be more
  /// than max_updates.
  [[nodiscard]] ReplayOptions for_run(std::uint32_t workers, std::uint64_t seed, std::int64_t duration_ns) const;

  /// Adds what the manifest says of it.
  void add_to(Configuration& configuration) const;

  /// Of all workers in one run, so that a slip of the pen does not keep the machine busy for days.
  static constexpr double max_updates = 1e9;
};

/// Reads "2:8": worker 2 takes 8 times as long for an update. Throws UsageError.
[[nodiscard]] std::pair<std::uint32_t, double> slow_worker_named(const std::string& text);

}  // namespace laxity::cli
