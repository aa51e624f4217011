// A study of worlds: the same world run by several teams in several modes, with replicates.
//
// Elsewhere: the options (evolve/options.cpp), one run (workloads/evolution/run), the tables (evolve/world_tables.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/launch/team_options.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/launch/ranks.hpp"
#include "workloads/evolution/world/parameters.hpp"

namespace laxity::cli {

struct WorldStudy : TeamPlan {
  std::string name = "evolve";  ///< of the experiment; the run directory is runs/<name>-<time>
  WorldStudy() { duration_s = 10; }

  std::uint64_t updates = 0;  ///< of each worker, instead of the duration
  double window_s = 1;        ///< of a snapshot
  std::int64_t jitter_ns = 0;
  std::size_t send_depth = 2;
  std::uint64_t seed = 1;  ///< of the first replicate; the others use the following ones
  std::string preset = "life";
  std::string configuration;                 ///< file of parameters; empty: those of the preset
  std::uint32_t cells_per_worker = 0;        ///< 0: as the parameters say
  std::vector<std::string> ancestors;        ///< genome files
  std::uint32_t pictures = 24;               ///< of one run, at most
  bool phylogeny = false;                    ///< record the births of that run
  std::string checkpoint;                    ///< directory; only if there is a single run, as with resume
  std::uint64_t checkpoint_interval = 1000;  ///< updates
  std::string resume;                        ///< directory with a checkpoint
  std::string output;                        ///< run directory; empty: runs/evolve-<time>
  bool report = false;
  bool quiet = false;
  int argc = 0;  ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

/// The preset, then the file, then the cells per worker. Throws UsageError, ParseError, SystemError.
[[nodiscard]] evolution::Parameters parameters_of(const WorldStudy& study);

/// Prints them as a file.
void print_parameters(const WorldStudy& study);

/// One run of a study.
struct PlannedWorld {
  Shape shape;
  PacingMode mode = PacingMode::none;
  std::int64_t run = 0;
  int replicate = 0;
};
/// "2t, mode 3 none"
[[nodiscard]] std::string title_of(const PlannedWorld& planned);

/// Makes all runs that are not done, and prints what they found. Returns the exit code. Collective over ranks.
int run_world_study(const WorldStudy& study);

}  // namespace laxity::cli
