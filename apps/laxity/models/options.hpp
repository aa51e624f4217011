// The subcommand of a model that is compared with a theory. Elsewhere: each model's options (model_options.hpp), its run
// (models/run.hpp).
#pragma once

#include <memory>
#include <string>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/models/model_options.hpp"

namespace laxity::cli {

/// Adds the options of the model and those that all models share; the subcommand runs the model. `name` is that of the
/// subcommand; the command line goes into the manifest.
void add_model_command(Command& command, std::shared_ptr<ModelOptions> model, const std::string& name, int argc,
                       const char* const* argv);

}  // namespace laxity::cli
