// laxity queueing: a network of queues, beside Jackson's theorem.
#include <cstdint>
#include <memory>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/models/model_command.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"
#include "workloads/models/queueing_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity queueing --sequential                    100 stations, loads from 0.2 to 0.8
  laxity queueing --threads 2 --stations 1000 --walk 0.1 --report

Customers come from outside, are served one after the other, walk to another station or leave. In the long run a station
with load r holds r / (1 - r) customers, whatever the others do.
)";

class QueueingModel final : public ModelOptions {
 public:
  void add(Command& command) override {
    const auto add = [&](const char* name, auto& value, const char* what) {
      command.add_option(name, value, what)->group("Model")->capture_default_str();
    };
    add("--stations", stations_, "Stations, each a logical process");
    add("--arrivals", options_.arrivals, "Customers from outside, per station and unit of time");
    add("--goes-on", options_.goes_on, "Share of the served who walk to another station");
    add("--least-load", options_.least_load, "Load of the first station: share of the time that it serves");
    add("--most-load", options_.most_load, "Load of the last; between, it grows evenly");
    add("--walk", options_.walk, "Mean time between two stations");
    add("--warm-up", options_.warm_up, "Time that is not measured");
    add("--end-time", end_time_, "End of the simulation");
  }

  [[nodiscard]] Configuration configuration() const override {
    return {{"stations", stations_},           {"arrivals", options_.arrivals},
            {"goes_on", options_.goes_on},     {"least_load", options_.least_load},
            {"most_load", options_.most_load}, {"walk", options_.walk},
            {"warm_up", options_.warm_up}};
  }
  [[nodiscard]] double end_time() const override { return end_time_; }

  [[nodiscard]] models::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                        const timewarp::Watch& watch) const override {
    models::QueueingOptions options = this->options();
    if (end_time < end_time_) options.warm_up *= end_time / end_time_;  // so that it ends before the run does
    return models::run_queueing(options, end_time, seed, engine, watch);
  }

  [[nodiscard]] std::uint64_t check_handlers(std::uint64_t seed, timewarp::Check how) const override {
    return models::check_handlers(options(), end_time_, seed, how);
  }

 private:
  [[nodiscard]] models::QueueingOptions options() const {
    models::QueueingOptions options = options_;
    options.stations = static_cast<timewarp::LpId>(in_range("--stations", stations_, 1, std::int64_t{1} << 26));
    return options;
  }

  models::QueueingOptions options_;
  std::int64_t stations_ = options_.stations;
  double end_time_ = 2000;
};

}  // namespace

std::shared_ptr<ModelOptions> queueing_options() { return std::make_shared<QueueingModel>(); }

void add_queueing(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("queueing", "Simulate a network of queues, beside Jackson's theorem");
  command->footer(examples);
  add_model_command(*command, queueing_options(), "queueing", argc, argv);
}

}  // namespace laxity::cli
