// One call of laxity top: a live view in a terminal, one reading, or a server of figures.
//
// It only reads the counters of other processes, so it can neither slow down nor block a job.
// Elsewhere: the options (top/options.cpp), the figures (top/figures.hpp), the hosts (top/hosts.hpp), the screen
// (top/screen.hpp), the terminal (top/terminal.hpp), the server (top/open_metrics.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/launch/ranks.hpp"

namespace laxity::cli {

struct TopOptions {
  double interval_s = 1;  ///< between readings
  bool once = false;
  bool json = false;
  std::string open_metrics;  ///< endpoint of the server; empty: none
  std::vector<int> pids;     ///< only the jobs of these processes; empty: all
};

/// Shows the jobs of this user, on all hosts of the ranks if there are any, until the user ends it. Returns the exit code.
/// Throws UsageError without a terminal, Error if a process is no job. Collective over ranks.
int run_top(const TopOptions& options, Ranks* ranks);

}  // namespace laxity::cli
