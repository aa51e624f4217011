#include "workloads/models/queueing_run.hpp"

#include "laxity/error.hpp"
#include "workloads/models/requirement.hpp"

namespace laxity::models {
namespace {

void check(const QueueingOptions& options, double end_time) {
  require(options.stations >= 1, "--stations", options.stations, "at least 1");
  require(options.arrivals > 0 && options.arrivals <= 1e6, "--arrivals", options.arrivals, "must be in (0, 1e6]");
  require(options.goes_on >= 0 && options.goes_on < 1, "--goes-on", options.goes_on, "must be in [0, 1)");
  const auto is_load = [](double load) { return load > 0 && load < 1; };
  require(is_load(options.least_load), "--least-load", options.least_load, "must be in (0, 1), else queues never end");
  require(is_load(options.most_load), "--most-load", options.most_load, "must be in (0, 1), else queues never end");
  require(options.walk > 0 && options.walk <= 1e6, "--walk", options.walk, "must be in (0, 1e6]");
  require(options.warm_up >= 0, "--warm-up", options.warm_up, "must not be negative");
  require(end_time > options.warm_up && end_time <= 1e12, "--end-time", end_time,
          "must be after --warm-up, up to 1e12");
}

}  // namespace

std::uint64_t check_handlers(const QueueingOptions& options, double end_time, std::uint64_t seed, timewarp::Check how) {
  check(options, end_time);
  return timewarp::check_model(timewarp::Simulation<Queueing>{Queueing(options), {options.stations, end_time}, seed},
                               how);
}

ComparedRun run_queueing(const QueueingOptions& options, double end_time, std::uint64_t seed,
                         const timewarp::Engine& engine, const timewarp::Watch& watch) {
  check(options, end_time);
  const timewarp::Simulation<Queueing> simulation{Queueing(options), {options.stations, end_time}, seed};
  const auto result = timewarp::run_on(engine, simulation, watch);
  ComparedRun run = compared_run_of(result);
  Comparison customers{.quantity = "mean customers at a station", .by = "load", .points = {}};
  for (timewarp::LpId station = 0; station < options.stations; ++station) {
    const double load = simulation.model.load(station);
    const double mean = simulation.model.mean_customers(result.states[station], end_time);
    customers.points.push_back({load, mean, load / (1 - load)});
  }
  run.comparisons.push_back(std::move(customers));
  return run;
}

}  // namespace laxity::models
