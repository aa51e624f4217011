#include "laxity/cli/short_number.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace laxity::cli {
namespace {

// Three significant digits, two below 0.1, of a value below 1000, without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.{}g}", value, size < 0.1 ? 2 : 3);
}

struct Scale {
  double factor;
  const char* name;
};

// A value that rounds to 1000 of one unit is 1 of the next.
template <std::size_t count>
std::string scaled(double value, const std::array<Scale, count>& scales) {
  for (const auto& [factor, name] : scales)
    if (std::abs(value) >= 0.9995 * factor) return three_digits(value / factor) + name;
  return three_digits(value / scales.back().factor) + scales.back().name;
}

}  // namespace

std::string short_number(double value) {
  return scaled(value, std::array<Scale, 5>{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}});
}

std::string short_time(double ns) {
  return scaled(ns, std::array<Scale, 4>{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}});
}

}  // namespace laxity::cli
