#include "workloads/models/queueing_run.hpp"

#include "laxity/require_option.hpp"
#include "laxity/timewarp/run_on.hpp"

namespace laxity::models {

void check(const QueueingOptions& options, double end_time) {
  require_option(options.stations >= 1, "stations", options.stations, "must be at least 1");
  require_option(options.arrival_rate > 0 && options.arrival_rate <= 1e6, "arrival_rate", options.arrival_rate,
                 "must be in (0, 1e6]");
  require_option(options.routing_probability >= 0 && options.routing_probability < 1, "routing_probability",
                 options.routing_probability, "must be in [0, 1)");
  const auto is_load = [](double load) { return load > 0 && load < 1; };
  require_option(is_load(options.min_load), "min_load", options.min_load,
                 "must be in (0, 1), else the queues grow without bound");
  require_option(is_load(options.max_load), "max_load", options.max_load,
                 "must be in (0, 1), else the queues grow without bound");
  require_option(options.travel_time > 0 && options.travel_time <= 1e6, "travel_time", options.travel_time,
                 "must be in (0, 1e6]");
  require_option(options.warm_up >= 0, "warm_up", options.warm_up, "must not be negative");
  require_option(end_time > options.warm_up && end_time <= 1e12, "end_time", end_time,
                 "must be after the warm-up, at most 1e12");
}

std::uint64_t check_handlers(const QueueingOptions& options, double end_time, std::uint64_t seed, timewarp::Check how) {
  check(options, end_time);
  return timewarp::check_model(timewarp::Simulation<Queueing>{Queueing(options), {options.stations, end_time}, seed},
                               how);
}

timewarp::ComparedRun run_queueing(const QueueingOptions& options, double end_time, std::uint64_t seed,
                                   const timewarp::Engine& engine, const timewarp::Watch& watch) {
  check(options, end_time);
  const timewarp::Simulation<Queueing> simulation{Queueing(options), {options.stations, end_time}, seed};
  const auto result = timewarp::run_on(engine, simulation, watch);
  timewarp::ComparedRun run = compared_run_of(result);
  timewarp::Comparison customers{.quantity = "mean customers at a station", .by = "load", .points = {}};
  for (timewarp::LpId station = 0; station < options.stations; ++station) {
    const double load = simulation.model.load(station);
    const double mean = simulation.model.mean_customers(result.states[station], end_time);
    customers.points.push_back({load, mean, load / (1 - load)});
  }
  run.comparisons.push_back(std::move(customers));
  const auto& found = result.collectors.found;
  timewarp::Comparison shares{.quantity = "share of arriving customers", .by = "customers found", .points = {}};
  for (const auto& [number, arrivals] : found.points()) {
    const double share = found.total() == 0 ? 0 : arrivals / static_cast<double>(found.total());
    shares.points.push_back({number, share, simulation.model.share_that_finds(static_cast<std::uint32_t>(number))});
  }
  run.comparisons.push_back(std::move(shares));
  return run;
}

}  // namespace laxity::models
