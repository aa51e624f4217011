// A graph coloring study: its treatments, its measurements and its output.
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
#include "apps/laxity/launch/team_options.hpp"
#include "laxity/cli/rank_options.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/mesh/layers/layer_options.hpp"
#include "laxity/metrics/manifest.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

struct ColorStudy : TeamPlan {
  std::string name = "color";              ///< of the experiment; the run directory is runs/<name>-<time>
  std::vector<ColorTreatment> treatments;  ///< if empty: every shape in every mode
  double window_s = 1;                     ///< of a snapshot; shortened to two thirds of the duration
  double interval_s = 0;         ///< between the beginnings of snapshots; 0: each begins where the previous ends
  bool per_channel = false;      ///< one row in qos.csv per channel instead of one per link
  std::size_t message_log = 0;   ///< frames of each link between workers that are logged in messages.csv
  bool one_way_latency = false;  ///< messages between workers carry the time at which they were sent
  std::uint32_t nodes_per_worker = 2048;
  std::string topology = "torus";    ///< "torus" or a graph file
  std::string graph_format;          ///< of the file; empty: by extension
  std::string partition = "blocks";  ///< or contiguous, round-robin, random, metis, or a file
  ColoringOptions coloring;
  ColorPacking packing = ColorPacking::state;
  ColoringView view = ColoringView::node;
  bool mutex = false;
  std::vector<std::string> reactions;  ///< names, see all_reactions()
  std::uint32_t parts_per_worker = 1;
  bool own_tori = false;     ///< also isolated workers with a torus each, in studies without treatments of their own
  bool until_quiet = false;  ///< a run that was disturbed is made again, a few times
  WorkerFault fault{};       ///< of one worker or host
  LayerOptions layer;
  ColorReplay replay;
  /// If set, makes the runs on ranks.
  std::function<ColoringResult(const ColoringRun&, const ColorTreatment&)> run_elsewhere{};
  Configuration elsewhere{};                     ///< options of run_elsewhere, for the manifest
  std::size_t max_links = std::size_t{1} << 16;  ///< as TeamOptions::max_links; the arena grows with it
  std::string result_file;  ///< also receives the result of the last run (result_file.hpp); empty: no file
  std::string output;       ///< run directory; empty: runs/<name>-<time>
  RankWords of_ranks;       ///< what ranks share, and how they send
  bool report = false;
  bool quiet = false;
  int argc = 0;  ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

}  // namespace laxity::cli
