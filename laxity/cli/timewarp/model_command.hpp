// The command of a model: the options that all models share, and what they choose to do. Elsewhere: each model's options
// (model.hpp), its runs (model_study.hpp).
#pragma once

#include <memory>
#include <string>

#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/model.hpp"

namespace laxity::cli {

/// Adds the options of the model and those that all models share; the command runs the model, alone or on the ranks of an
/// MPI. `name` is that of the model; the command line goes into the manifest.
void add_model_command(Command& command, std::shared_ptr<ModelOptions> model, const std::string& name, int argc,
                       const char* const* argv);

/// Adds a subcommand that compares two event logs.
void add_log_comparison(Command& command);

}  // namespace laxity::cli
