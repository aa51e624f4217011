// What a simulation gave, beside what theory says of it. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laxity/timewarp/engine.hpp"

namespace laxity::models {

struct Compared {
  double x = 0;
  double simulated = 0;
  double expected = 0;
};

/// One quantity against another: "customers at a station" by "load".
struct Comparison {
  std::string quantity;
  std::string by;
  std::vector<Compared> points;
};

struct ComparedRun {
  std::vector<timewarp::Statistics> workers;
  std::uint64_t digest = 0;  ///< 0 unless asked for
  double seconds = 0;
  std::vector<Comparison> comparisons;
};

/// The part of a result that does not depend on the model.
template <class Result>
[[nodiscard]] ComparedRun compared_run_of(const Result& result) {
  return {.workers = result.workers, .digest = result.digest, .seconds = result.seconds, .comparisons = {}};
}

}  // namespace laxity::models
