// laxity queueing: a network of queues, beside Jackson's theorem.
#include <cstdint>
#include <memory>

#include "apps/laxity/model_command.hpp"
#include "apps/laxity/subcommands.hpp"
#include "workloads/models/queueing_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity queueing --sequential                    100 stations, loads from 0.2 to 0.8
  laxity queueing --threads 2 --stations 1000 --walk 0.1 --report

Customers come from outside, are served one after the other, walk to another station or leave. In the long run a station
with load r holds r / (1 - r) customers, whatever the others do.
)";

}  // namespace

void add_queueing(CLI::App& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("queueing", "Simulate a network of queues, beside Jackson's theorem");
  command->footer(examples);
  auto options = std::make_shared<models::QueueingOptions>();
  auto stations = std::make_shared<std::int64_t>(options->stations);
  auto end_time = std::make_shared<double>(2000);
  const auto add = [&](const char* name, auto& value, const char* what) {
    command->add_option(name, value, what)->group("Model")->capture_default_str();
  };
  add("--stations", *stations, "Stations, each a logical process");
  add("--arrivals", options->arrivals, "Customers from outside, per station and unit of time");
  add("--goes-on", options->goes_on, "Share of the served who walk to another station");
  add("--least-load", options->least_load, "Load of the first station: share of the time that it serves");
  add("--most-load", options->most_load, "Load of the last; between, it grows evenly");
  add("--walk", options->walk, "Mean time between two stations");
  add("--warm-up", options->warm_up, "Time that is not measured");
  add("--end-time", *end_time, "End of the simulation");
  auto model = std::make_shared<ModelCommand>(*command, "queueing", argc, argv);
  command->callback([=] {
    options->stations = static_cast<timewarp::LpId>(in_range("--stations", *stations, 1, std::int64_t{1} << 26));
    model->execute({{"stations", *stations},
                    {"arrivals", options->arrivals},
                    {"goes_on", options->goes_on},
                    {"least_load", options->least_load},
                    {"most_load", options->most_load},
                    {"walk", options->walk},
                    {"warm_up", options->warm_up}},
                   *end_time, [&](std::uint64_t seed, const timewarp::Engine& engine, const timewarp::Watch& watch) {
                     return models::run_queueing(*options, *end_time, seed, engine, watch);
                   });
  });
}

}  // namespace laxity::cli
