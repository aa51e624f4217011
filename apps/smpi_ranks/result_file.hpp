// How results go from the simulated program to `laxity scale`: a file of plain values, written and read on one machine
// by programs of one build.
#pragma once

#include <string>

#include "workloads/coloring/coloring_run.hpp"

namespace laxity {

/// Workers, colors, conflicts and snapshots; the rest of the result does not travel. Throws Error naming the file.
void write_result(const std::string& path, const ColoringResult& result);
/// Throws Error naming the file if it cannot be read, is cut short, or was written by another build.
[[nodiscard]] ColoringResult read_result(const std::string& path);

}  // namespace laxity
