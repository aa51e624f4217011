// The graph coloring study: which treatments, how often, where the results go.
//
// Elsewhere: the options on the command line (color/options.cpp), one run (workloads/coloring/coloring_run.hpp and
// replayed_coloring.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/laxity/color/replay.hpp"
#include "apps/laxity/color/treatment.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/mesh/layers/layer_options.hpp"
#include "laxity/metrics/manifest.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

struct ColorStudy {
  std::string name = "color";              ///< of the experiment, and of the run directory, before its time
  std::vector<ColorTreatment> treatments;  ///< if not empty, instead of every one of `shapes` in every one of `modes`
  std::vector<Shape> shapes{{}};
  std::vector<Mode> modes{Mode::none};
  int replicates = 1;
  double duration_s = 1;
  double window_s = 1;          ///< of a snapshot; shortened to two thirds of the duration
  double interval_s = 0;        ///< from the beginning of a snapshot to that of the next; 0: one follows the other
  bool per_channel = false;     ///< a row in qos.csv for each channel with a ring of its own, not for each link
  std::size_t message_log = 0;  ///< frames of each link between workers in messages.csv
  std::uint32_t nodes_per_worker = 2048;
  std::string topology = "torus";    ///< "torus" or a graph file
  std::string graph_format;          ///< of the file; empty: by extension
  std::string partition = "blocks";  ///< or contiguous, round-robin, random, metis, or a file
  ColoringOptions coloring;
  Packing packing = Packing::state;
  View view = View::node;
  bool mutex = false;
  std::vector<std::string> reactions;  ///< to workers that cannot keep up, see all_reactions()
  std::uint32_t parts_per_worker = 1;
  Hindrance hindrance{};  ///< of one worker or node
  LayerOptions layer;
  ColorSimulation simulation;
  /// If set, runs instead of a team of this machine.
  std::function<ColoringResult(const ColoringRun&, const ColorTreatment&)> run_elsewhere{};
  Configuration elsewhere{};  ///< how, for the manifest
  std::string pin = "auto";
  std::string result_file;    ///< where the result of the last run is left too, see result_file.hpp; empty: nowhere
  std::string output;         ///< run directory; empty: runs/<name>-<time>
  Ranks* ranks = nullptr;     ///< that share the work, if a launcher has started us
  bool shared_memory = true;  ///< between ranks of one node
  std::string mpi_variant;    ///< how messages travel between nodes; empty: as recommended
  bool report = false;
  bool quiet = false;
  int argc = 0;  ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

}  // namespace laxity::cli
