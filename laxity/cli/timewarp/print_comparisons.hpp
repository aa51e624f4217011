// What the commands of models print. Elsewhere: the runs (model_study.hpp).
#pragma once

#include <cstdint>
#include <filesystem>

#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/engine.hpp"

namespace laxity::cli {

/// The speed of a run, in a line.
void print_result(const timewarp::Engine& engine, std::uint64_t seed, const timewarp::ComparedRun& run);

/// About twelve rows of each comparison with theory, and of each other quantity.
void print_comparisons(const timewarp::ComparedRun& run);

/// The means over all replicates in a run directory with the halves of their 95 % intervals, as print_comparisons().
void print_intervals(const std::filesystem::path& directory, int replicates);

}  // namespace laxity::cli
