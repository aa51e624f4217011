// Runs a subcommand on the ranks that a launcher such as mpirun has started, or in this process alone.
#pragma once

#include <functional>

#include "laxity/launch/ranks.hpp"

namespace laxity::cli {

/// Joins the other ranks, if there are any, and calls program(ranks) for an exit code; null without a launcher. The first rank
/// reports an error that all ranks have in common. The others end silently with exit code 0: at any other code the launcher
/// kills the remaining ranks, possibly before the first one has reported.
void run_on_ranks(const RankOptions& options, const std::function<int(Ranks*)>& program);

}  // namespace laxity::cli
