// The options of `laxity color --replay`: the speed of virtual workers and the faults of the links between them.
//
// Elsewhere: the command line (color/options.cpp), a replayed run (workloads/coloring/replayed_coloring.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "laxity/mesh/replay.hpp"
#include "laxity/metrics/manifest.hpp"

namespace laxity::cli {

struct ColorReplay {
  bool enabled = false;
  ReplayOptions options{.period_ns = 10'000};            ///< workers, seed and slowness are filled in for each run
  std::vector<std::pair<std::uint32_t, double>> slow{};  ///< worker, factor on its period
  std::pair<double, double> frozen_s{0, 0};              ///< no frame arrives between these times; equal: never

  /// Throws UsageError naming the option whose value is out of range.
  void check() const;

  /// The options of one run. Throws UsageError if a slow worker is not one of its workers, or if the run would make more
  /// than max_updates updates.
  [[nodiscard]] ReplayOptions for_run(std::uint32_t workers, std::uint64_t seed, std::int64_t duration_ns) const;

  /// Adds the options to the manifest.
  void add_to(Configuration& configuration) const;

  /// Limit on the updates of all workers in one run, against typing errors.
  static constexpr double max_updates = 1e9;
};

/// Reads "2:8": worker 2 takes 8 times as long for an update. Throws UsageError.
[[nodiscard]] std::pair<std::uint32_t, double> slow_worker_named(const std::string& text);

}  // namespace laxity::cli
