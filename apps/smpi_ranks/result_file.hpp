// The result of a run in a file, from the program under SimGrid to `laxity scale`: plain values, written and read on one
// host by programs of one build.
#pragma once

#include <string>

#include "workloads/coloring/coloring_run.hpp"

namespace laxity {

/// Writes workers, colors, conflicts and snapshots, not the rest of the result. Throws Error naming the file.
void write_result(const std::string& path, const ColoringResult& result);
/// Throws Error naming the file if it cannot be read, is cut short, or was written by another build.
[[nodiscard]] ColoringResult read_result(const std::string& path);

}  // namespace laxity
