// What a simulation has found out, for tables and reports: quantities, and those that a theory predicts beside the
// prediction. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "laxity/timewarp/statistics.hpp"

namespace laxity::timewarp {

struct Compared {
  double x = 0;
  double simulated = 0;
  double expected = 0;
};

/// One quantity as a function of another, beside theory: "mean customers at a station" by "load".
struct Comparison {
  std::string quantity;
  std::string by;
  std::vector<Compared> points;
};

struct Measured {
  double x = 0;
  double value = 0;
};

/// One quantity as a function of another: "customers served" by "shop". A single number has one point, at 0 by "-".
struct Quantity {
  std::string quantity;
  std::string by;
  std::vector<Measured> points;
};

struct ComparedRun {
  std::vector<Statistics> workers;
  std::uint64_t digest = 0;  ///< 0 if the options ask for none
  double seconds = 0;
  std::vector<Comparison> comparisons;
  std::vector<Quantity> quantities{};

  /// Reports the points of a histogram or of a time series (collectors.hpp).
  template <class Collector>
    requires requires(const Collector& collector) { collector.points(); }
  void report(std::string quantity, std::string by, const Collector& collector) {
    std::vector<Measured> points;
    for (const auto& [x, value] : collector.points()) points.push_back({.x = x, .value = value});
    quantities.push_back({.quantity = std::move(quantity), .by = std::move(by), .points = std::move(points)});
  }
  /// Reports a single number.
  void report(std::string quantity, double value) {
    quantities.push_back({.quantity = std::move(quantity), .by = "-", .points = {{.x = 0, .value = value}}});
  }

  [[nodiscard]] Statistics total() const noexcept { return total_of(workers); }
  [[nodiscard]] double committed_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(total().committed) / seconds : 0;
  }
};

/// The part of a result that does not depend on the model.
template <class Result>
[[nodiscard]] ComparedRun compared_run_of(const Result& result) {
  return {.workers = result.workers, .digest = result.digest, .seconds = result.seconds, .comparisons = {}};
}

}  // namespace laxity::timewarp
