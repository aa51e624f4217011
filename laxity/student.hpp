// Student's distribution, for intervals of means of few values.
//
// Source: Student, The probable error of a mean, Biometrika 6 (1908); the sums are 26.7.3 and 26.7.4 of Abramowitz and Stegun,
//   Handbook of mathematical functions (1964).
#pragma once

#include <span>

namespace laxity {

/// The probability that a value of Student's distribution lies between -t and t; t >= 0, freedom >= 1.
[[nodiscard]] double student_within(double t, int freedom) noexcept;

/// A mean with the ends of its 95 % interval.
struct MeanInterval {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// The ends are infinite if there is one value. Requires one.
[[nodiscard]] MeanInterval mean_interval(std::span<const double> values) noexcept;

}  // namespace laxity
