// The results of a simulation beside those that theory predicts. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laxity/timewarp/statistics.hpp"

namespace laxity::models {

struct Compared {
  double x = 0;
  double simulated = 0;
  double expected = 0;
};

/// One quantity as a function of another: "mean customers at a station" by "load".
struct Comparison {
  std::string quantity;
  std::string by;
  std::vector<Compared> points;
};

struct ComparedRun {
  std::vector<timewarp::Statistics> workers;
  std::uint64_t digest = 0;  ///< 0 if the options ask for none
  double seconds = 0;
  std::vector<Comparison> comparisons;

  [[nodiscard]] timewarp::Statistics total() const noexcept { return timewarp::total_of(workers); }
  [[nodiscard]] double committed_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(total().committed) / seconds : 0;
  }
};

/// The part of a result that does not depend on the model.
template <class Result>
[[nodiscard]] ComparedRun compared_run_of(const Result& result) {
  return {.workers = result.workers, .digest = result.digest, .seconds = result.seconds, .comparisons = {}};
}

}  // namespace laxity::models
