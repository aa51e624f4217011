// A subcommand that simulates one model and holds it against theory: options, run directory, what is printed.
//
// Elsewhere: the models (workloads/models), each one's own options (model_options.hpp).
#pragma once

#include <memory>
#include <string>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/models/model_options.hpp"

namespace laxity::cli {

/// Adds the options of the model and those that all models share, and makes the run when the command is called: runs it,
/// writes the run directory, prints what came out. `name` is that of the subcommand; the command line goes into the
/// manifest. Throws UsageError before anything is written, and what the run throws.
void add_model_command(Command& command, std::shared_ptr<ModelOptions> model, const std::string& name, int argc,
                       const char* const* argv);

}  // namespace laxity::cli
