// A model on the command line: its options, its runs and what it finds out. A program and its tuning use it.
//
// Elsewhere: one made of a Simulation and of options by name (program.hpp), the commands (model_command.hpp,
// tuning_command.hpp).
#pragma once

#include <cstdint>

#include "laxity/cli/command.hpp"
#include "laxity/metrics/manifest.hpp"
#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"

namespace laxity::cli {

/// Holds the values of the options and runs the model that they describe. Lives as long as the command.
class ModelOptions {
 public:
  ModelOptions() = default;
  ModelOptions(const ModelOptions&) = delete;
  ModelOptions& operator=(const ModelOptions&) = delete;
  virtual ~ModelOptions() = default;

  virtual void add(Command& command) = 0;

  /// Throws UsageError for an option out of its range, and as timewarp::check() for the engine.
  virtual void check(const timewarp::Engine& engine) const = 0;

  /// For the run directory, without the end time.
  [[nodiscard]] virtual Configuration configuration() const = 0;
  [[nodiscard]] virtual double end_time() const = 0;

  /// Runs the model until `end_time`: as given, or an earlier one. Throws what run_on() throws.
  [[nodiscard]] virtual timewarp::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                                  const timewarp::Watch& watch) const = 0;

  /// Checks that every event of a sequential run can be rolled back. Returns the number of events. Throws
  /// timewarp::ModelError at the first event that cannot be rolled back.
  [[nodiscard]] virtual std::uint64_t check_handlers(std::uint64_t seed, timewarp::Check how) const = 0;
};

}  // namespace laxity::cli
