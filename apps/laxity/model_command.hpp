// A subcommand that simulates one model and holds it against theory: options, run directory, what is printed.
//
// Elsewhere: the models (workloads/models), each one's own options (epidemic.cpp, pcs.cpp, queueing.cpp).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "apps/laxity/engine_options.hpp"
#include "laxity/metrics/manifest.hpp"
#include "workloads/models/comparison.hpp"

namespace laxity::cli {

/// Runs the model with this seed on this engine.
using RunModel = std::function<models::ComparedRun(std::uint64_t, const timewarp::Engine&, const timewarp::Watch&)>;

class ModelCommand {
 public:
  /// Adds the options that all models share. `name` is that of the subcommand; the command line goes into the manifest.
  ModelCommand(CLI::App& command, std::string name, int argc, const char* const* argv);

  /// Makes the run, writes the run directory and prints what came out. `configuration` is the model's own. Throws
  /// UsageError before anything is written, and what the run throws.
  void execute(const Configuration& configuration, double end_time, const RunModel& run) const;

 private:
  std::string name_;
  EngineOptions engine_;
  std::uint64_t seed_ = 1;
  std::string output_;
  bool report_ = false;
  bool quiet_ = false;
  int argc_;
  const char* const* argv_;
};

}  // namespace laxity::cli
