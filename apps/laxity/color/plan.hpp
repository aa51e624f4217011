// The runs of a graph coloring study: every treatment in every replicate, and what must be right before the first one.
//
// Threads: pure functions.
// Elsewhere: the study (color/study.hpp), its meshes (color/mesh.hpp), making the runs (color/run.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "apps/laxity/color/mesh.hpp"
#include "apps/laxity/color/study.hpp"

namespace laxity::cli {

struct PlannedRun : ColorTreatment {
  std::int64_t run = 0;
  int replicate = 0;
};

/// The treatments of the study: its own, or every shape in every mode.
[[nodiscard]] std::vector<ColorTreatment> treatments_of(const ColorStudy& study);

/// Replicates are the outermost loop, so that a drift of the machine affects all treatments alike.
[[nodiscard]] std::vector<PlannedRun> runs_of(const ColorStudy& study);

/// The resolved options, for the manifest.
[[nodiscard]] Configuration configuration_of(const ColorStudy& study);

/// Throws UsageError for options that make no sense, before any mesh is built.
void check_options(const ColorStudy& study);
/// Throws UsageError if a run cannot be made on its mesh or if a table would have too many rows.
void check_runs(const ColorStudy& study, const ColorMeshes& meshes);

[[nodiscard]] ColoringRun make_run(const ColorStudy& study, const PlannedRun& planned, const Topology& topology,
                                   const Partition& partition);

/// The virtual workers and links of a run that is replayed.
[[nodiscard]] ReplayOptions replay_options_of(const ColorStudy& study, const ColoringRun& run);

}  // namespace laxity::cli
