// A study of a model: replicates that report quantities, some beside a theory, with intervals of their means.
//
// Elsewhere: the options (model_command.hpp), the run directory (study.hpp), the printed text (print_comparisons.hpp).
#pragma once

#include "laxity/cli/timewarp/model.hpp"
#include "laxity/cli/timewarp/study.hpp"
#include "laxity/timewarp/engine.hpp"

namespace laxity::cli {

/// Runs the model, writes the run directory, prints the result, and writes the report if asked for. Returns the exit code.
/// Collective over ranks. Throws UsageError before anything is written.
int run_model_study(const SimulationStudy& study, const ModelOptions& model, const timewarp::Engine& engine);

}  // namespace laxity::cli
