#include "laxity/cli/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

struct Unit {
  std::string_view name;
  double units_per_second, seconds;  // one of them is 1: times it, a value keeps its digits
};
constexpr std::array<Unit, 7> units{
    {{"", 1, 1}, {"s", 1, 1}, {"ms", 1e3, 1}, {"us", 1e6, 1}, {"ns", 1e9, 1}, {"min", 1, 60}, {"h", 1, 3600}}};

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units)
    if (rest == unit.name) return value / unit.units_per_second * unit.seconds;
  return std::nullopt;
}

std::string short_duration(double seconds) {
  for (const Unit& unit : {units[1], units[2], units[3]})
    if (seconds == 0 || std::abs(seconds * unit.units_per_second) >= 1)
      return fmt::format("{:.15g}{}", seconds * unit.units_per_second, unit.name);
  return fmt::format("{:.15g}ns", seconds * 1e9);
}

double duration_of(const std::string& option, const std::string& text, const DurationRange& range) {
  const std::optional<double> seconds = parse_duration(text);
  if (!seconds)
    throw UsageError(fmt::format(
        "{} {}: not a duration; write 1.5s, 200ms, 20us, 100ns, 5min or 2h, where a number alone is seconds", option,
        text));
  if (*seconds < range.min_s || *seconds > range.max_s)
    throw UsageError(
        fmt::format("{} {}: must be {} to {}", option, text, short_duration(range.min_s), short_duration(range.max_s)));
  return *seconds;
}

}  // namespace laxity::cli
