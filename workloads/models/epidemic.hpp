// An epidemic among people who travel: an individual-based SEIR model (susceptible, exposed, infectious, recovered).
//
// A logical process is a place with the number of its people in each compartment. Its transitions are exposure, onset,
// recovery and departure for another place. The next transition is drawn from the sum of all rates (Gillespie). An
// arrival changes the rates, so that the next transition is drawn again; the event of the earlier draw carries an outdated
// number and is ignored.
//
// For large populations the course converges to the solution of ordinary differential equations (Kurtz 1970), which
// expected_course() integrates; travelers have compartments of their own in these equations.
//
// Source: W. O. Kermack, A. G. McKendrick, Proc. R. Soc. A 115 (1927); D. T. Gillespie, J. Phys. Chem. 81 (1977);
// T. G. Kurtz, J. Appl. Prob. 7 (1970). Elsewhere: the places (world.hpp), the runs (epidemic_run.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/distributions.hpp"
#include "laxity/timewarp/collectors.hpp"
#include "laxity/timewarp/context.hpp"
#include "workloads/models/world.hpp"

namespace laxity::models {

struct EpidemicOptions {
  double transmission_rate = 0.5;  ///< infections per infectious person and day while all others are susceptible
  double latent_period = 3;        ///< mean days from exposed to infectious
  double infectious_period = 5;    ///< mean days from infectious to recovered
  double travel_time = 0.5;        ///< mean days between two places
  double end_time = 100;           ///< days
};

class Epidemic {
 public:
  static constexpr std::size_t moments = 50;  ///< at which the infectious are counted, evenly spaced from 0 to the end
  enum Compartment : std::uint32_t { susceptible, exposed, infectious, recovered };

  using Time = double;
  struct State {
    std::array<std::uint32_t, 4> people{};
    std::uint32_t drawn = 0;  ///< number of the latest draw
    std::int32_t change = 0;  ///< of the infectious, by the latest event
  };
  struct Event {
    enum Kind : std::uint32_t { drawn, arrival } kind;
    std::uint32_t value;  ///< number of the draw, or compartment of the arriving person
  };
  struct Collectors {
    timewarp::TimeSeries<moments> infectious;  ///< changes of their number in all places
    void merge(const Collectors& other) { infectious.merge(other.infectious); }
  };
  using Here = timewarp::Context<Epidemic>;

  Epidemic(const EpidemicOptions& options, const World& world) : options_(options), world_(&world) {
    for (std::size_t from = 0; from < world.places.size(); ++from) {
      leaving_.push_back(0);
      for (std::size_t to = 0; to < world.places.size(); ++to) leaving_.back() += world.share(from, to);
    }
  }

  [[nodiscard]] static double moment(std::size_t i, double end_time) noexcept {
    return end_time * static_cast<double>(i) / moments;
  }

  void init(Here& here) const {
    const Place& place = world_->places[here.self()];
    here.state().people = {place.population - place.infected, 0, place.infected, 0};
    draw(here);
  }

  void handle(Here& here, const Event& event) const {
    State& state = here.state();
    state.change = 0;
    if (event.kind == Event::drawn && event.value != state.drawn) return;
    const std::uint32_t before = state.people[infectious];
    if (event.kind == Event::arrival) {
      ++state.people[event.value];
    } else {
      apply_transition(here);
    }
    state.change = static_cast<std::int32_t>(state.people[infectious] - before);
    draw(here);
  }

  [[nodiscard]] Collectors collectors() const { return {timewarp::TimeSeries<moments>(options_.end_time)}; }
  void commit(const timewarp::Committed<Epidemic>& here, const Event&) const {
    here.collectors().infectious.add(here.now(), here.state().change);
  }

 private:
  // Rates per day of exposure, onset, recovery and departure.
  [[nodiscard]] std::array<double, 4> rates(Here& here) const noexcept {
    const auto& people = here.state().people;
    const double all = static_cast<double>(people[0]) + people[1] + people[2] + people[3];
    const double exposure = all > 0 ? options_.transmission_rate * people[susceptible] * people[infectious] / all : 0;
    return {exposure, people[exposed] / options_.latent_period, people[infectious] / options_.infectious_period,
            leaving_[here.self()] * all};
  }

  void draw(Here& here) const {
    const auto [a, b, c, d] = rates(here);
    ++here.state().drawn;
    const double rate = a + b + c + d;
    if (rate > 0) {
      here.send(here.self(), exponential(here.random(), 1 / rate), {Event::drawn, here.state().drawn});
    }
  }

  void apply_transition(Here& here) const {
    auto& people = here.state().people;
    const auto [exposure, onset, recovery, departure] = rates(here);
    const double drawn = here.random().unit() * (exposure + onset + recovery + departure);
    if (drawn < exposure) {
      --people[susceptible], ++people[exposed];
    } else if (drawn < exposure + onset) {
      --people[exposed], ++people[infectious];
    } else if (drawn < exposure + onset + recovery) {
      --people[infectious], ++people[recovered];
    } else {
      depart(here);
    }
  }

  void depart(Here& here) const {
    auto& people = here.state().people;
    std::uint32_t who = here.random().below(people[0] + people[1] + people[2] + people[3]);
    std::uint32_t compartment = 0;
    while (who >= people[compartment]) who -= people[compartment++];
    double drawn = here.random().unit() * leaving_[here.self()];
    timewarp::LpId to = 0;
    timewarp::LpId last = 0;  // destination with a positive share; rounding may leave a remainder
    for (; to < here.logical_processes(); ++to) {
      const double share = world_->share(here.self(), to);
      if (share > 0) last = to;
      drawn -= share;
      if (drawn < 0) break;
    }
    --people[compartment];
    here.send(last, exponential(here.random(), options_.travel_time), {Event::arrival, compartment});
  }

  EpidemicOptions options_;
  const World* world_;
  std::vector<double> leaving_;  // departures per person and day, by place
};

}  // namespace laxity::models
