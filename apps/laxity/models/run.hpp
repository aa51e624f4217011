// A run of a model with a theory: its run directory, its progress and its result.
//
// Elsewhere: the options (models/options.hpp), the printed text (models/print.hpp), the models (workloads/models).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/laxity/models/model_options.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"

namespace laxity::cli {

struct ModelCommand {
  std::shared_ptr<ModelOptions> model;
  std::string name;  ///< of the subcommand
  int argc;          ///< the command line, for the manifest
  const char* const* argv;
  EngineOptions engine{};
  std::uint64_t seed = 1;
  std::string check{};   ///< "purity", "rollback", or empty for a run
  std::string output{};  ///< run directory; empty: runs/<name>-<time>
  bool report = false;
  bool quiet = false;
};

/// Runs the model, writes the run directory, prints the result, and writes the report if asked for. Returns the exit code.
/// Throws UsageError before anything is written, and what the run throws.
int run_model(const ModelCommand& command);

}  // namespace laxity::cli
