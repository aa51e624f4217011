#include "workloads/models/epidemic_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "laxity/require_option.hpp"
#include "laxity/timewarp/run_on.hpp"

namespace laxity::models {
namespace {

constexpr std::size_t compartments = 4;
using People = std::vector<double>;  // first by place and compartment, then travelers by destination and compartment

// The ordinary differential equations of the limit.
class Equations {
 public:
  Equations(const EpidemicOptions& options, const World& world) : options_(options) {
    for (std::size_t from = 0; from < world.places.size(); ++from) {
      for (std::size_t to = 0; to < world.places.size(); ++to) {
        if (world.share(from, to) > 0) routes_.push_back({from, to, world.share(from, to)});
      }
    }
  }

  // Writes the derivative per day at `now` into `change`.
  void change(const People& now, People& change) const {
    const std::size_t places = now.size() / (2 * compartments);
    const std::size_t travelers = places * compartments;
    std::ranges::fill(change, 0);
    for (std::size_t place = 0; place < places; ++place) {
      const double* here = &now[place * compartments];
      double* grows = &change[place * compartments];
      const double all = here[0] + here[1] + here[2] + here[3];
      const double exposure = all > 0 ? options_.transmission_rate * here[0] * here[2] / all : 0;
      const double onset = here[1] / options_.latent_period;
      const double recovery = here[2] / options_.infectious_period;
      grows[0] -= exposure;
      grows[1] += exposure - onset;
      grows[2] += onset - recovery;
      grows[3] += recovery;
      for (std::size_t c = 0; c < compartments; ++c) {
        const double arrive = now[travelers + place * compartments + c] / options_.travel_time;
        grows[c] += arrive;
        change[travelers + place * compartments + c] -= arrive;
      }
    }
    for (const Route& route : routes_) {
      for (std::size_t c = 0; c < compartments; ++c) {
        const double leave = route.share * now[route.from * compartments + c];
        change[route.from * compartments + c] -= leave;
        change[travelers + route.to * compartments + c] += leave;
      }
    }
  }

 private:
  struct Route {
    std::size_t from, to;
    double share;
  };
  EpidemicOptions options_;
  std::vector<Route> routes_;
};

// The classical Runge-Kutta method of fourth order.
class Integrator {
 public:
  Integrator(const Equations& equations, People start) : equations_(equations), now_(std::move(start)) {
    for (People& slope : slopes_) slope.resize(now_.size());
  }

  void step(double days) {
    equations_.change(now_, slopes_[0]);
    equations_.change(ahead(slopes_[0], days / 2), slopes_[1]);
    equations_.change(ahead(slopes_[1], days / 2), slopes_[2]);
    equations_.change(ahead(slopes_[2], days), slopes_[3]);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i] += days / 6 * (slopes_[0][i] + 2 * slopes_[1][i] + 2 * slopes_[2][i] + slopes_[3][i]);
    }
  }
  [[nodiscard]] const People& now() const noexcept { return now_; }

 private:
  const People& ahead(const People& slope, double days) {
    ahead_ = now_;
    for (std::size_t i = 0; i < now_.size(); ++i) ahead_[i] += days * slope[i];
    return ahead_;
  }

  const Equations& equations_;
  People now_;
  People ahead_;
  std::array<People, 4> slopes_;
};

}  // namespace

void check(const EpidemicOptions& options, const World& world) {
  require_option(!world.places.empty(), "places", 0, "the world needs at least one place");
  require_option(options.transmission_rate >= 0 && options.transmission_rate <= 1e6, "transmission_rate",
                 options.transmission_rate, "must be in [0, 1e6]");
  require_option(options.latent_period > 0 && options.latent_period <= 1e6, "latent_period", options.latent_period,
                 "must be in (0, 1e6]");
  require_option(options.infectious_period > 0 && options.infectious_period <= 1e6, "infectious_period",
                 options.infectious_period, "must be in (0, 1e6]");
  require_option(options.travel_time > 0 && options.travel_time <= 1e6, "travel_time", options.travel_time,
                 "must be in (0, 1e6]");
  require_option(options.end_time > 0 && options.end_time <= 1e6, "end_time", options.end_time, "must be in (0, 1e6]");
}

std::vector<double> expected_course(const EpidemicOptions& options, const World& world) {
  const std::size_t places = world.places.size();
  People start(places * 2 * compartments, 0);
  double fastest = std::max(
      {options.transmission_rate, 1 / options.latent_period, 1 / options.infectious_period, 1 / options.travel_time});
  for (std::size_t i = 0; i < places; ++i) {
    start[i * compartments] = world.places[i].population - world.places[i].infected;
    start[i * compartments + Epidemic::infectious] = world.places[i].infected;
    double leaving = 0;
    for (std::size_t to = 0; to < places; ++to) leaving += world.share(i, to);
    fastest = std::max(fastest, leaving);
  }
  const Equations equations(options, world);
  Integrator integrator(equations, start);
  const double between = Epidemic::moment(1, options.end_time);
  const int steps =
      static_cast<int>(std::ceil(between * fastest * 10));  // a step is a tenth of the shortest time constant
  std::vector<double> course;
  for (std::size_t moment = 0; moment < Epidemic::moments; ++moment) {
    double all = 0;
    for (std::size_t i = 0; i < places; ++i) all += integrator.now()[i * compartments + Epidemic::infectious];
    course.push_back(all);
    for (int step = 0; step < steps; ++step) integrator.step(between / steps);
  }
  return course;
}

std::uint64_t check_handlers(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                             timewarp::Check how) {
  check(options, world);
  const auto places = static_cast<timewarp::LpId>(world.places.size());
  return timewarp::check_model(
      timewarp::Simulation<Epidemic>{Epidemic(options, world), {places, options.end_time}, seed}, how);
}

timewarp::ComparedRun run_epidemic(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                                   const timewarp::Engine& engine, const timewarp::Watch& watch) {
  check(options, world);
  const auto places = static_cast<timewarp::LpId>(world.places.size());
  const timewarp::Simulation<Epidemic> simulation{Epidemic(options, world), {places, options.end_time}, seed};
  const auto result = timewarp::run_on(engine, simulation, watch);
  const std::vector<double> expected = expected_course(options, world);
  timewarp::ComparedRun run = compared_run_of(result);
  timewarp::Comparison course{.quantity = "infectious people", .by = "day", .points = {}};
  std::int64_t infectious = 0;
  for (const Place& place : world.places) infectious += place.infected;
  for (std::size_t moment = 0; moment < Epidemic::moments; ++moment) {
    course.points.push_back(
        {Epidemic::moment(moment, options.end_time), static_cast<double>(infectious), expected[moment]});
    infectious += result.collectors.infectious[moment];
  }
  run.comparisons.push_back(std::move(course));
  return run;
}

}  // namespace laxity::models
