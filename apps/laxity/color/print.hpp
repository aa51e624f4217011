// What a graph coloring study prints: its meshes before the first run, and a table of treatments at the end.
//
// Elsewhere: the same for a report (python/src/laxity).
#pragma once

#include <vector>

#include "apps/laxity/color/mesh.hpp"
#include "apps/laxity/color/tables.hpp"
#include "apps/laxity/color/treatment.hpp"

namespace laxity::cli {

/// One line per mesh; treatments may share one.
void print_meshes(const ColorMeshes& meshes, const std::vector<ColorTreatment>& treatments);

/// One line per treatment that has runs.
void print_treatments(const std::vector<ColorTally>& tallies);

}  // namespace laxity::cli
