// The study of laxity scale: treatments of graph coloring, each run on MPI ranks under SimGrid (SMPI).
//
// Elsewhere: the command line (scale/options.cpp), one run (scale/smpi_run.hpp), the study around it, which also prints
// (color/run.hpp), the results of the paper that the study repeats (`python -m laxity claims`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/scale/smpi_run.hpp"

namespace laxity::cli {

struct ScaleOptions {
  std::vector<int> ranks{1, 16, 64};
  std::vector<int> per_host{1};
  std::vector<std::string> modes{"0", "3", "4"};
  std::vector<std::uint64_t> works{0, 4096};
  std::uint32_t nodes = 2048;
  int replicates = 3;
  double duration_s = 10e-3;
  double window_s = 4e-3;
  std::int64_t rolling_ns = 1'000'000;
  std::int64_t fixed_ns = 2'000'000;
  std::int64_t pause_ns = 100'000;
  std::size_t depth = 2;
  std::uint64_t seed = 1;
  SmpiMachine machine;
  std::string output;
  bool report = false;
  bool quiet = false;
  int argc = 0;  ///< of the command line, for the manifest
  const char* const* argv = nullptr;
};

/// Runs the study and compares it with the paper. The result is an exit code. Throws Error if the simulator is missing.
[[nodiscard]] int run_scale(const ScaleOptions& options);

}  // namespace laxity::cli
