// A subcommand that runs on the ranks that a launcher such as mpirun has started, or alone.
#pragma once

#include <functional>

#include "laxity/launch/ranks.hpp"

namespace laxity::cli {

/// Joins the other ranks, if there are any, and calls program(ranks) for an exit code. What goes wrong on all ranks alike
/// is said once, by the first; the others say nothing and end with exit code 0, because a launcher kills those that are
/// left when one ends with another, and the first may not have spoken yet.
void run_on_ranks(const RankOptions& options, const std::function<int(Ranks*)>& program);

}  // namespace laxity::cli
