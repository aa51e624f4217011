// laxity queueing: an open queueing network, compared with Jackson's theorem.
#include <cstdint>
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/models/models.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"
#include "laxity/cli/timewarp/model_command.hpp"
#include "workloads/models/queueing_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* queueing_examples = R"(Examples:
  laxity queueing --sequential                    100 stations, loads from 0.2 to 0.8
  laxity queueing --threads 2 --stations 1000 --travel-time 0.1 --report

Customers arrive from outside, are served one at a time, and travel to another station or leave. In the long run a station of
load r holds r / (1 - r) customers on average, independently of the other stations.
)";

class QueueingModel final : public ModelOptions {
 public:
  void add(Command& command) override {
    const auto add = [&](const char* name, auto& value, const char* what) {
      command.add_option(name, value, what)->group("Model")->capture_default_str();
    };
    add("--stations", stations_, "Number of stations; each is a logical process");
    add("--arrival-rate", options_.arrival_rate, "Customers from outside per station and unit of time");
    add("--routing-probability", options_.routing_probability,
        "Probability that a customer goes to another station after service");
    add("--min-load", options_.min_load, "Load of the first station: its share of busy time");
    add("--max-load", options_.max_load, "Load of the last station; it grows linearly between them");
    add("--travel-time", options_.travel_time, "Mean time between two stations");
    add("--warm-up", options_.warm_up, "Time before the measurement begins");
    add("--end-time", end_time_, "End of the simulation");
  }

  void check(const timewarp::Engine& engine) const override {
    const models::QueueingOptions queueing = options();
    models::check(queueing, end_time_);
    timewarp::check(engine, queueing.stations);
  }

  [[nodiscard]] Configuration configuration() const override {
    return {{"stations", stations_},
            {"arrival_rate", options_.arrival_rate},
            {"routing_probability", options_.routing_probability},
            {"min_load", options_.min_load},
            {"max_load", options_.max_load},
            {"travel_time", options_.travel_time},
            {"warm_up", options_.warm_up}};
  }
  [[nodiscard]] double end_time() const override { return end_time_; }

  [[nodiscard]] timewarp::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                          const timewarp::Watch& watch) const override {
    models::QueueingOptions options = this->options();
    if (end_time < end_time_) options.warm_up *= end_time / end_time_;  // the warm-up must end before the run
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
  auto* command = app.add_subcommand("queueing", "Simulate a queueing network and compare with Jackson's theorem");
  command->footer(queueing_examples);
  add_model_command(*command, queueing_options(), "queueing", argc, argv);
}

}  // namespace laxity::cli
