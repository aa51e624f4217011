// Runs a graph coloring study and writes its run directory.
//
// Elsewhere: the study (color/study.hpp), its runs one by one (color/plan.hpp), what is printed (color/print.hpp).
#pragma once

#include "apps/laxity/color/study.hpp"

namespace laxity::cli {

/// Collective over ranks; the first one writes and prints. Makes the runs that are not done yet, writes the run directory,
/// prints a table, and writes the report if asked to. Returns the exit code.
int run_color_study(const ColorStudy& study);

}  // namespace laxity::cli
