// The options of a model that is compared with a theory, for its own subcommand and for `laxity timewarp tune`.
//
// Elsewhere: each model's options (epidemic.cpp, pcs.cpp, queueing.cpp), the subcommand (options.hpp), the tuning
// (timewarp/run.cpp).
#pragma once

#include <cstdint>
#include <memory>

#include "apps/laxity/cli/command.hpp"
#include "laxity/metrics/manifest.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "workloads/models/comparison.hpp"

namespace laxity::cli {

/// Holds the values of the options and runs the model that they describe. Lives as long as the subcommand. An option out of
/// its range is refused with a UsageError before anything runs.
class ModelOptions {
 public:
  ModelOptions() = default;
  ModelOptions(const ModelOptions&) = delete;
  ModelOptions& operator=(const ModelOptions&) = delete;
  virtual ~ModelOptions() = default;

  virtual void add(Command& command) = 0;

  /// For the run directory, without the end time.
  [[nodiscard]] virtual Configuration configuration() const = 0;
  [[nodiscard]] virtual double end_time() const = 0;

  /// Runs the model until `end_time`: as given, or an earlier one. Throws what run_on() throws.
  [[nodiscard]] virtual models::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                                const timewarp::Watch& watch) const = 0;

  /// Checks that every event of a sequential run can be rolled back. Returns the number of events. Throws
  /// timewarp::ModelError at the first event that cannot be rolled back.
  [[nodiscard]] virtual std::uint64_t check_handlers(std::uint64_t seed, timewarp::Check how) const = 0;
};

[[nodiscard]] std::shared_ptr<ModelOptions> epidemic_options();
[[nodiscard]] std::shared_ptr<ModelOptions> pcs_options();
[[nodiscard]] std::shared_ptr<ModelOptions> queueing_options();

}  // namespace laxity::cli
