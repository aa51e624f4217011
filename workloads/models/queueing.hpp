// An open queueing network: customers arrive from outside, wait, are served, and travel to another station or leave.
//
// Every station is an M/M/1 queue; travel times are exponential. By Jackson's theorem the numbers of customers at the
// stations are independent in the long run: a station of load r holds r / (1 - r) customers on average. Traveling customers
// form a station with an unlimited number of servers, which does not change this result.
//
// Source: J. R. Jackson, Jobshop-like queueing systems, Management Science 10 (1963); R. W. Wolff, Poisson arrivals see
// time averages, Operations Research 30 (1982). Elsewhere: its runs (queueing_run.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "laxity/distributions.hpp"
#include "laxity/timewarp/collectors.hpp"
#include "laxity/timewarp/context.hpp"

namespace laxity::models {

struct QueueingOptions {
  timewarp::LpId stations = 100;
  double arrival_rate = 1;            ///< customers from outside, per station and unit of time
  double routing_probability = 0.75;  ///< of another station after service, instead of leaving; in [0, 1)
  double min_load = 0.2;              ///< of the first station, in (0, 1)
  double max_load = 0.8;              ///< of the last station; the load grows linearly between them
  double travel_time = 1;             ///< mean time between two stations
  double warm_up = 200;               ///< time before the measurement begins
};

class Queueing {
 public:
  using Time = double;
  struct State {
    std::uint64_t served = 0;
    std::uint32_t customers = 0;
    double since = 0;  ///< time of the last change of `customers`
    double area = 0;   ///< integral of `customers` over the time since the warm-up
  };
  enum class Event : std::uint32_t { external_arrival, routed_arrival, departure };
  struct Collectors {
    timewarp::Histogram<20> found{0, 20};  ///< customers at the station that one from outside found after the warm-up
    void merge(const Collectors& other) { found.merge(other.found); }
  };
  using Station = timewarp::Context<Queueing>;

  explicit Queueing(const QueueingOptions& options) : options_(options) {}

  /// Arrivals per unit of time at each station, from outside and from other stations; the same at all stations.
  [[nodiscard]] double throughput() const noexcept {
    return options_.arrival_rate / (1 - options_.routing_probability);
  }
  [[nodiscard]] double load(timewarp::LpId station) const noexcept {
    const double place = options_.stations < 2 ? 0 : static_cast<double>(station) / (options_.stations - 1);
    return options_.min_load + place * (options_.max_load - options_.min_load);
  }
  /// Mean number of customers at the station from the warm-up to `end`.
  [[nodiscard]] double mean_customers(const State& state, double end) const noexcept {
    return (state.area + state.customers * measured_time(state, end)) / (end - options_.warm_up);
  }

  /// The share of the customers from outside that find this number of others at their station.
  [[nodiscard]] double share_that_finds(std::uint32_t customers) const noexcept {
    double share = 0;  // arrivals see time averages (Wolff 1982); that at one station is geometric
    for (timewarp::LpId i = 0; i < options_.stations; ++i) share += (1 - load(i)) * std::pow(load(i), customers);
    return share / options_.stations;
  }

  void init(Station& station) const {
    station.send(station.self(), exponential(station.random(), 1 / options_.arrival_rate), Event::external_arrival);
  }

  void handle(Station& station, const Event& event) const {
    State& state = station.state();
    state.area += state.customers * measured_time(state, station.now());
    state.since = station.now();
    if (event == Event::departure) {
      ++state.served;
      if (--state.customers > 0) serve(station);
      if (station.random().unit() < options_.routing_probability) {
        const timewarp::LpId next = station.random().below(options_.stations);
        station.send(next, exponential(station.random(), options_.travel_time), Event::routed_arrival);
      }
      return;
    }
    if (++state.customers == 1) serve(station);
    if (event == Event::external_arrival) init(station);
  }

  void commit(const timewarp::Committed<Queueing>& station, const Event& event) const {
    if (event == Event::external_arrival && station.now() >= options_.warm_up)
      station.collectors().found.add(station.state().customers - 1);
  }

 private:
  [[nodiscard]] double measured_time(const State& state, double now) const noexcept {
    return std::max(0.0, now - std::max(state.since, options_.warm_up));
  }
  void serve(Station& station) const {
    const double mean = load(station.self()) / throughput();
    station.send(station.self(), exponential(station.random(), mean), Event::departure);
  }

  QueueingOptions options_;
};

}  // namespace laxity::models
