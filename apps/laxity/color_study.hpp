// The graph colouring study: which treatments, how often, where the results go.
//
// Elsewhere: the options on the command line (color.cpp), one run (workloads/coloring/coloring_run.hpp and
// simulated_coloring.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/color_simulation.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/mesh/layer.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

/// A team: threads of this process (processes = 0), or forked processes with some threads each.
struct Shape {
  int threads = 1;
  int processes = 0;
  [[nodiscard]] int workers() const noexcept { return threads * (processes == 0 ? 1 : processes); }
  /// "2t", "2p", "2p3t"
  [[nodiscard]] std::string text() const;
};

/// Reads "2t", "2p" or "2p3t". Throws UsageError.
[[nodiscard]] Shape shape_named(const std::string& text);

struct ColorStudy {
  std::vector<Shape> shapes{{}};
  std::vector<Mode> modes{Mode::none};
  int replicates = 1;
  double duration_s = 1;
  double window_s = 1;       ///< of a snapshot; shortened to two thirds of the duration
  bool per_channel = false;  ///< a row in qos.csv for each channel with a ring of its own, not for each link
  std::uint32_t nodes_per_worker = 2048;
  std::string topology = "torus";    ///< "torus" or a graph file
  std::string graph_format;          ///< of the file; empty: by extension
  std::string partition = "blocks";  ///< or contiguous, round-robin, random, metis, or a file
  ColoringOptions coloring;
  Packing packing = Packing::state;
  View view = View::node;
  bool mutex = false;
  LayerOptions layer;
  ColorSimulation simulation;
  std::string pin = "auto";
  std::string output;  ///< run directory; empty: runs/color-<time>
  bool report = false;
  bool quiet = false;
  int argc = 0;  ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

/// Runs what is not done yet, writes the run directory, prints a table, and the report if asked. Exit code.
int run_color_study(const ColorStudy& study);

}  // namespace laxity::cli
