// An open network of queues: customers come from outside, wait, are served, walk to another station or leave.
//
// Every station has one server, exponential service and unlimited room; walks are exponential too. By Jackson's theorem
// the stations are then independent in the long run, each as if it were alone with its load r: it holds r / (1 - r)
// customers on average. Walks are stations with as many servers as customers, and change nothing of that.
//
// Source: J. R. Jackson, Jobshop-like queueing systems, Management Science 10 (1963). Elsewhere: runs of it
// (queueing_run.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "laxity/timewarp/context.hpp"
#include "workloads/models/exponential.hpp"

namespace laxity::models {

struct QueueingOptions {
  timewarp::LpId stations = 100;
  double arrivals = 1;      ///< from outside, at each station, per unit of time
  double goes_on = 0.75;    ///< share of the served who walk to another station, in [0, 1)
  double least_load = 0.2;  ///< of the first station, in (0, 1)
  double most_load = 0.8;   ///< of the last
  double walk = 1;          ///< mean time between two stations
  double warm_up = 200;     ///< not measured
};

class Queueing {
 public:
  using Time = double;
  struct State {
    std::uint64_t served = 0;
    std::uint32_t customers = 0;
    double since = 0;  ///< when their number last changed
    double area = 0;   ///< their number, integrated over time since the warm-up
  };
  enum class Event : std::uint32_t { comes_from_outside, walks_in, is_served };
  using Station = timewarp::Context<Queueing>;

  explicit Queueing(const QueueingOptions& options) : options_(options) {}

  /// Customers per unit of time at each station, from outside and from others: the same everywhere.
  [[nodiscard]] double throughput() const noexcept { return options_.arrivals / (1 - options_.goes_on); }
  [[nodiscard]] double load(timewarp::LpId station) const noexcept {
    const double place = options_.stations < 2 ? 0 : static_cast<double>(station) / (options_.stations - 1);
    return options_.least_load + place * (options_.most_load - options_.least_load);
  }
  /// Customers at the station on average, until `end`.
  [[nodiscard]] double mean_customers(const State& state, double end) const noexcept {
    return (state.area + state.customers * measured(state, end)) / (end - options_.warm_up);
  }

  void init(Station& station) const {
    station.send(station.self(), exponential(station.random(), options_.arrivals), Event::comes_from_outside);
  }

  void handle(Station& station, const Event& event) const {
    State& state = station.state();
    state.area += state.customers * measured(state, station.now());
    state.since = station.now();
    if (event == Event::is_served) {
      ++state.served;
      if (--state.customers > 0) serve(station);
      if (station.random().unit() < options_.goes_on) {
        const timewarp::LpId next = station.random().below(options_.stations);
        station.send(next, exponential(station.random(), 1 / options_.walk), Event::walks_in);
      }
      return;
    }
    if (++state.customers == 1) serve(station);
    if (event == Event::comes_from_outside) init(station);
  }

 private:
  [[nodiscard]] double measured(const State& state, double now) const noexcept {
    return std::max(0.0, now - std::max(state.since, options_.warm_up));
  }
  void serve(Station& station) const {
    const double rate = throughput() / load(station.self());
    station.send(station.self(), exponential(station.random(), rate), Event::is_served);
  }

  QueueingOptions options_;
};

}  // namespace laxity::models
