// The command that measures short runs of a model with different parts of the engine and recommends the fastest.
//
// Elsewhere: the method (laxity/timewarp/tuning.hpp).
#pragma once

#include <memory>
#include <string>

#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/model.hpp"
#include "laxity/timewarp/engine.hpp"

namespace laxity::cli {

struct MeasuredRun {
  double seconds = 0;
  double committed_per_second = 0;
};

/// A model and its options, for the tuning.
class Tunable {
 public:
  Tunable() = default;
  Tunable(const Tunable&) = delete;
  Tunable& operator=(const Tunable&) = delete;
  virtual ~Tunable() = default;
  virtual void add(Command& command) = 0;
  /// Takes the options and the engine at the start. To be called once, before the others. Throws UsageError.
  virtual void begin(const timewarp::Engine& engine) = 0;
  [[nodiscard]] virtual double end_time() const = 0;
  /// Throws timewarp::Interrupted, and Error if there is not enough event memory.
  [[nodiscard]] virtual MeasuredRun run(double end_time, const timewarp::Engine& engine) = 0;
  /// Further options that another team needs to run the same model.
  [[nodiscard]] virtual std::string further_options(const std::string& /*given*/) const { return {}; }
};

[[nodiscard]] std::unique_ptr<Tunable> tunable(std::shared_ptr<ModelOptions> model);

/// Adds the options of the tuning and those of the model. `program`: the command line that runs the model, without its
/// options.
void add_tuning_command(Command& command, std::unique_ptr<Tunable> model, const std::string& program);

}  // namespace laxity::cli
