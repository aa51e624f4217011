#include "laxity/clock/clock_model.hpp"

#include <algorithm>
#include <cstddef>

#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

// Weighted sums of a line. Times and offsets are taken relative to the first point: squares of nanoseconds since boot
// would lose the digits that matter.
struct Line {
  double mean_x = 0, mean_y = 0, slope = 0, slope_error = 0;
};

Line through(std::span<const FitPoint> points) {
  const auto x_of = [&](const FitPoint& point) { return static_cast<double>(point.local_ns - points[0].local_ns); };
  const auto y_of = [&](const FitPoint& point) { return point.offset_ns - points[0].offset_ns; };
  const auto weight_of = [](const FitPoint& point) { return 1 / (point.width_ns * point.width_ns); };
  Line line;
  double weight = 0;
  for (const FitPoint& point : points) {
    weight += weight_of(point);
    line.mean_x += weight_of(point) * x_of(point);
    line.mean_y += weight_of(point) * y_of(point);
  }
  line.mean_x /= weight;
  line.mean_y /= weight;
  double xx = 0, xy = 0;
  for (const FitPoint& point : points) {
    const double dx = x_of(point) - line.mean_x;
    xx += weight_of(point) * dx * dx;
    xy += weight_of(point) * dx * (y_of(point) - line.mean_y);
  }
  if (points.size() < 3 || xx <= 0) return line;
  line.slope = xy / xx;
  double rest = 0;
  for (const FitPoint& point : points) {
    const double residual = y_of(point) - line.mean_y - line.slope * (x_of(point) - line.mean_x);
    rest += weight_of(point) * residual * residual;
  }
  line.slope_error = std::sqrt(rest / static_cast<double>(points.size() - 2) / xx);
  return line;
}

}  // namespace

ClockModel fit_clock_model(std::span<const FitPoint> points) {
  if (points.empty()) throw UsageError("fit_clock_model: no points");
  if (!std::all_of(points.begin(), points.end(), [](const FitPoint& point) { return point.width_ns > 0; })) {
    throw UsageError("fit_clock_model: widths must be positive");
  }
  const Line line = through(points);
  const bool significant = std::abs(line.slope) > significant_errors * line.slope_error;
  return {.origin_ns = points[0].local_ns + std::llrint(line.mean_x),
          .offset_ns = points[0].offset_ns + line.mean_y,
          .drift = significant ? line.slope : 0};
}

ClockModel random_clock_model(std::uint64_t seed, std::int64_t origin_ns, double most_offset_ns, double most_drift) {
  SeededRandom random(seed);
  const double offset_ns = (2 * random.unit() - 1) * most_offset_ns;
  return {.origin_ns = origin_ns, .offset_ns = std::round(offset_ns), .drift = (2 * random.unit() - 1) * most_drift};
}

}  // namespace laxity
