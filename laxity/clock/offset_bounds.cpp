#include "laxity/clock/offset_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "laxity/error.hpp"

namespace laxity {
namespace {

constexpr double usual_slope = 1e5;             // ns/s: clocks of computers stay within 100 ppm
constexpr double max_slope = 10 * usual_slope;  // of all lines considered

// A possible line: offset_ns + slope * time_s.
struct Line {
  double offset_ns, slope;
  [[nodiscard]] double at(double time_s) const noexcept { return offset_ns + slope * time_s; }
};
using Polygon = std::vector<Line>;

// The part of a convex polygon where side * (line at time_s) <= side * bound_ns.
Polygon clip(const Polygon& polygon, double time_s, double bound_ns, double side) {
  const auto beyond = [&](const Line& line) { return side * (line.at(time_s) - bound_ns); };
  Polygon left;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Line& here = polygon[i];
    const Line& next = polygon[(i + 1) % polygon.size()];
    const double a = beyond(here);
    const double b = beyond(next);
    if (a <= 0) left.push_back(here);
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
      const double share = a / (a - b);
      left.push_back(
          {here.offset_ns + share * (next.offset_ns - here.offset_ns), here.slope + share * (next.slope - here.slope)});
    }
  }
  return left;
}

Line center_of_gravity(const Polygon& polygon) {
  // Relative to a vertex, since a small polygon far from the origin would lose significant digits.
  const Line& from = polygon.front();
  double area = 0, offset = 0, slope = 0;
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    const Line a{polygon[i].offset_ns - from.offset_ns, polygon[i].slope - from.slope};
    const Line b{polygon[i + 1].offset_ns - from.offset_ns, polygon[i + 1].slope - from.slope};
    const double triangle = a.offset_ns * b.slope - a.slope * b.offset_ns;
    area += triangle;
    offset += triangle * (a.offset_ns + b.offset_ns) / 3;
    slope += triangle * (a.slope + b.slope) / 3;
  }
  if (area == 0) return from;
  return {from.offset_ns + offset / area, from.slope + slope / area};
}

struct Range {
  double min, max;
  [[nodiscard]] double width() const noexcept { return max - min; }
  [[nodiscard]] double middle() const noexcept { return min + width() / 2; }
};

template <class Value>
Range range_of(const Polygon& polygon, Value value) {
  const auto [min, max] = std::minmax_element(polygon.begin(), polygon.end(),
                                              [&](const Line& a, const Line& b) { return value(a) < value(b); });
  return {value(*min), value(*max)};
}

// The range of offsets of lines with slope 0, of which the polygon must contain some.
Range without_slope(const Polygon& polygon) {
  Polygon flat;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Line& here = polygon[i];
    const Line& next = polygon[(i + 1) % polygon.size()];
    if (here.slope == 0) flat.push_back(here);
    if (here.slope * next.slope >= 0) continue;
    const double share = here.slope / (here.slope - next.slope);
    flat.push_back({here.offset_ns + share * (next.offset_ns - here.offset_ns), 0});
  }
  return range_of(flat, [](const Line& line) { return line.offset_ns; });
}

}  // namespace

// Adds a point to a convex hull: the upper one (side 1) or the lower one (side -1).
void OffsetBounds::extend(Hull& hull, Bound bound, double side) {
  const auto turn = [&](const Bound& a, const Bound& b) {
    return side * ((b.time_s - a.time_s) * (bound.offset_ns - a.offset_ns) -
                   (b.offset_ns - a.offset_ns) * (bound.time_s - a.time_s));
  };
  while (hull.size() >= 2 && turn(hull[hull.size() - 2], hull.back()) >= 0) hull.pop_back();
  hull.push_back(bound);
}

void OffsetBounds::add(std::int64_t sent_ns, std::int64_t answer_ns, std::int64_t received_ns) {
  if (empty_) {
    origin_ns_ = sent_ns;
    offset_ns_ = answer_ns - sent_ns;
    empty_ = false;
  }
  const auto bound = [&](std::int64_t time_ns) {
    return Bound{static_cast<double>(time_ns - origin_ns_) * 1e-9,
                 static_cast<double>(answer_ns - time_ns - offset_ns_)};
  };
  extend(upper_, bound(sent_ns), -1);
  extend(lower_, bound(received_ns), 1);
  last_ns_ = received_ns;
}

BoundedModel OffsetBounds::middle() const {
  if (empty_) throw UsageError("OffsetBounds: no exchanges");
  const double last_s = static_cast<double>(last_ns_ - origin_ns_) * 1e-9;
  double min_ns = lower_.front().offset_ns, max_ns = upper_.front().offset_ns;
  for (const Bound& bound : lower_) min_ns = std::min(min_ns, bound.offset_ns);
  for (const Bound& bound : upper_) max_ns = std::max(max_ns, bound.offset_ns);
  Polygon possible;
  // The resolution of a reading is 1 ns; the slack doubles until some line satisfies all bounds.
  for (double slack_ns = 1; possible.size() < 3; slack_ns *= 2) {
    const double room_ns = max_slope * last_s + slack_ns;
    possible = {{min_ns - room_ns, -max_slope},
                {max_ns + room_ns, -max_slope},
                {max_ns + room_ns, max_slope},
                {min_ns - room_ns, max_slope}};
    for (const Bound& bound : upper_) possible = clip(possible, bound.time_s, bound.offset_ns + slack_ns, 1);
    for (const Bound& bound : lower_) possible = clip(possible, bound.time_s, bound.offset_ns - slack_ns, -1);
  }
  Line middle = center_of_gravity(possible);
  const Range slopes = range_of(possible, [](const Line& line) { return line.slope; });
  if (slopes.width() > 2 * usual_slope && slopes.min <= 0 && slopes.max >= 0) {
    middle = {without_slope(possible).middle(), 0};
  }
  const Range offsets = range_of(possible, [&](const Line& line) { return line.at(last_s); });
  return {.model = {.origin_ns = last_ns_,
                    .offset_ns = static_cast<double>(offset_ns_) + middle.at(last_s),
                    .drift = middle.slope * 1e-9},
          .width_ns = offsets.width()};
}

}  // namespace laxity
