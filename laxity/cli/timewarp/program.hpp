// A program for a model: in ten lines of main(), a model gets what PHOLD has.
//
//   int main(int argc, char** argv) {
//     laxity::timewarp::LpId shops = 100;
//     double end_time = 600;
//     laxity::cli::ModelProgram program("shops", "A ring of shops");
//     program.add_option("--shops", shops, "Number of shops");
//     program.add_option("--end-time", end_time, "End of the simulation, in minutes");
//     return program.run(
//         argc, argv, [&] { return laxity::timewarp::Simulation<Shops>{.model = {}, .bounds = {shops, end_time}}; },
//         [](const laxity::timewarp::Result<Shops>& day, laxity::timewarp::ComparedRun& found) {
//           found.report("customers served in shop 0", day.states[0].served);
//         });
//   }
//
// The program has the options of the engine, of its memory and of the ranks of an MPI; replicates with intervals of the
// means; a run directory with manifest and report; checks of the handlers; event logs and their comparison; and the
// subcommands `tune` and `diff`.
//
// Threads: the caller's. Elsewhere: the model (laxity/timewarp/model.hpp), the command (model_command.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/model.hpp"
#include "laxity/metrics/manifest.hpp"
#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/run_on.hpp"

namespace laxity::cli {

/// An option of a model: how it is added to a command, and its value for the run directory.
struct ModelOption {
  std::function<void(Command&)> add;
  std::function<std::pair<std::string, ConfigurationValue>()> configuration;
};

namespace detail {

/// "--end-time" is end_time in a run directory.
[[nodiscard]] std::string name_of_flag(const std::string& flag);

template <class Value>
[[nodiscard]] ConfigurationValue configuration_value(const Value& value) {
  if constexpr (std::same_as<Value, bool> || std::same_as<Value, std::string>) {
    return value;
  } else if constexpr (std::integral<Value>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<double>(value);
  }
}

/// `Make` returns the simulation that the options describe; `Find` takes its result and what to report.
template <class Make, class Find>
class SimulationOptions final : public ModelOptions {
 public:
  SimulationOptions(std::vector<ModelOption> options, Make make, Find find)
      : options_(std::move(options)), make_(std::move(make)), find_(std::move(find)) {}

  void add(Command& command) override {
    for (const ModelOption& option : options_) option.add(command);
  }
  void check(const timewarp::Engine& engine) const override {
    const auto simulation = make_();
    timewarp::require_valid(simulation.bounds);
    timewarp::check(engine, simulation.bounds.logical_processes);
  }
  [[nodiscard]] Configuration configuration() const override {
    Configuration all;
    for (const ModelOption& option : options_) {
      auto named = option.configuration();
      if (named.first != "end_time") all.push_back(std::move(named));
    }
    return all;
  }
  [[nodiscard]] double end_time() const override { return static_cast<double>(make_().bounds.end_time); }

  [[nodiscard]] timewarp::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                          const timewarp::Watch& watch) const override {
    auto simulation = make_();
    simulation.bounds.end_time = static_cast<decltype(simulation.bounds.end_time)>(end_time);
    simulation.seed = seed;
    const auto result = timewarp::run_on(engine, simulation, watch);
    timewarp::ComparedRun found = timewarp::compared_run_of(result);
    find_(result, found);
    return found;
  }

  [[nodiscard]] std::uint64_t check_handlers(std::uint64_t seed, timewarp::Check how) const override {
    auto simulation = make_();
    simulation.seed = seed;
    return timewarp::check_model(simulation, how);
  }

 private:
  std::vector<ModelOption> options_;
  Make make_;
  Find find_;
};

}  // namespace detail

class ModelProgram {
 public:
  /// `name`: of the program in messages, of the model in run directories. `footer`: printed below the help.
  ModelProgram(std::string name, std::string description, std::string footer = {})
      : name_(std::move(name)), description_(std::move(description)), footer_(std::move(footer)) {}

  /// An option of the model, stored in `value`, which must live until run() returns: a number or a string. The run
  /// directory holds it, and a resumed study must have the same.
  template <class Value>
  void add_option(const std::string& flag, Value& value, const std::string& description) {
    options_.push_back(
        {.add =
             [flag, &value, description](Command& command) {
               command.add_option(flag, value, description)->group("Model")->capture_default_str();
             },
         .configuration =
             [flag, &value] { return std::pair(detail::name_of_flag(flag), detail::configuration_value(value)); }});
  }

  /// Does what the command line says. `make` returns the timewarp::Simulation that the options describe; it throws
  /// UsageError, "name = value: rule", for an option out of its range (laxity/require_option.hpp). The seed is that of the
  /// command line. `find(result, found)` reports quantities of a result in a timewarp::ComparedRun. Returns the exit code:
  /// 0 done, 1 failed, 2 usage.
  template <class Make, class Find>
  [[nodiscard]] int run(int argc, const char* const* argv, Make make, Find find) {
    return run_model(
        argc, argv,
        std::make_shared<detail::SimulationOptions<Make, Find>>(options_, std::move(make), std::move(find)));
  }

  /// As above, without quantities.
  template <class Make>
  [[nodiscard]] int run(int argc, const char* const* argv, Make make) {
    return run(argc, argv, std::move(make), [](const auto&, timewarp::ComparedRun&) {});
  }

 private:
  [[nodiscard]] int run_model(int argc, const char* const* argv, std::shared_ptr<ModelOptions> model) const;

  std::string name_, description_, footer_;
  std::vector<ModelOption> options_;
};

}  // namespace laxity::cli
