#include "laxity/student.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "laxity/check.hpp"

namespace laxity {

double student_within(double t, int freedom) noexcept {
  const double angle = std::atan(t / std::sqrt(freedom));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = freedom == 1 ? 0 : term;
  for (int power = odd ? 3 : 2; power <= freedom - 2; power += 2) {
    term *= cosine * cosine * (power - 1) / power;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

MeanInterval mean_interval(std::span<const double> values) noexcept {
  LAXITY_CHECK(!values.empty());
  constexpr double confidence = 0.95;
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  if (values.size() == 1) {
    return {mean, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  const int freedom = static_cast<int>(values.size()) - 1;
  double low = 0, high = 13;  // of one degree of freedom: 12.71
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (student_within(middle, freedom) < confidence ? low : high) = middle;
  }
  return {mean, mean - high * error, mean + high * error};
}

}  // namespace laxity
