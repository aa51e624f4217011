#include "workloads/models/pcs_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "laxity/require_option.hpp"
#include "laxity/timewarp/run_on.hpp"

namespace laxity::models {

void check(const PcsOptions& options, double end_time) {
  const std::uint64_t cells = std::uint64_t{options.width} * options.height;
  require_option(options.width >= 1, "width", options.width, "must be at least 1");
  require_option(options.height >= 1, "height", options.height, "must be at least 1");
  require_option(cells <= std::uint64_t{1} << 24, "height", options.height,
                 "width times height is at most 16777216 cells");
  require_option(options.channels >= 1 && options.channels <= 1'000'000, "channels", options.channels,
                 "must be 1 to 1000000");
  require_option(options.call_duration > 0 && options.call_duration <= 1e9, "call_duration", options.call_duration,
                 "must be in (0, 1e9]");
  require_option(options.dwell_time > 0, "dwell_time", options.dwell_time, "must be positive");
  require_option(options.min_load > 0 && options.min_load <= 1e6, "min_load", options.min_load, "must be in (0, 1e6]");
  require_option(options.max_load > 0 && options.max_load <= 1e6, "max_load", options.max_load, "must be in (0, 1e6]");
  require_option(end_time > 0 && end_time <= 1e12, "end_time", end_time, "must be in (0, 1e12]");
}

double erlang_b(std::uint32_t channels, double load) noexcept {
  double blocked = 1;  // with no channel; more channels by the usual stable recursion
  for (std::uint32_t n = 1; n <= channels; ++n) blocked = load * blocked / (n + load * blocked);
  return blocked;
}

std::vector<double> expected_blocking(const PcsOptions& options) {
  const Pcs model(options);
  const double leaving = 1 / options.dwell_time;  // rate of moves of a call
  const double ending = 1 / options.call_duration + leaving;
  std::vector<double> busy(model.cells(), 0), blocked(model.cells(), 0);
  for (double change = 1; change > 1e-12;) {
    change = 0;
    for (timewarp::LpId cell = 0; cell < model.cells(); ++cell) {
      double offered = model.arrivals(cell);
      for (const timewarp::LpId neighbor : model.neighbors(cell)) offered += leaving / 4 * busy[neighbor];
      const double load = offered / ending;
      blocked[cell] = erlang_b(options.channels, load);
      const double now_busy = load * (1 - blocked[cell]);
      change = std::max(change, std::abs(now_busy - busy[cell]) / options.channels);
      busy[cell] = now_busy;
    }
  }
  return blocked;
}

std::uint64_t check_handlers(const PcsOptions& options, double end_time, std::uint64_t seed, timewarp::Check how) {
  check(options, end_time);
  const Pcs model(options);
  return timewarp::check_model(timewarp::Simulation<Pcs>{model, {model.cells(), end_time}, seed}, how);
}

timewarp::ComparedRun run_pcs(const PcsOptions& options, double end_time, std::uint64_t seed,
                              const timewarp::Engine& engine, const timewarp::Watch& watch) {
  check(options, end_time);
  const Pcs model(options);
  const timewarp::Simulation<Pcs> simulation{model, {model.cells(), end_time}, seed};
  const auto result = timewarp::run_on(engine, simulation, watch);
  const std::vector<double> expected = expected_blocking(options);
  timewarp::ComparedRun run = compared_run_of(result);
  timewarp::Comparison blocking{.quantity = "share of calls blocked", .by = "column of cells", .points = {}};
  for (timewarp::LpId x = 0; x < options.width; ++x) {
    double calls = 0, blocked = 0, theory = 0;
    for (timewarp::LpId cell = x; cell < model.cells(); cell += options.width) {
      calls += static_cast<double>(result.states[cell].calls);
      blocked += static_cast<double>(result.states[cell].blocked);
      theory += expected[cell] / options.height;
    }
    blocking.points.push_back({static_cast<double>(x), calls > 0 ? blocked / calls : 0, theory});
  }
  run.comparisons.push_back(std::move(blocking));
  if (result.collectors.found.count() > 0)
    run.report("mean busy channels that a new call finds", result.collectors.found.mean());
  return run;
}

}  // namespace laxity::models
