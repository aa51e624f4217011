#include "laxity/collective/patterns/skew.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>

#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::collective {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 4> units{{{"us", 1e-6}, {"ms", 1e-3}, {"ns", 1e-9}, {"s", 1}}};

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError("skew '" + std::string(text) +
                   "': expected mean, mean:1.5, own, own:0.5, or a time such as 250us, 2ms, 1s");
}

std::optional<double> positive(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = fault == std::errc{} && end == text.data() + text.size() && std::isfinite(value) && value > 0;
  return good ? std::optional(value) : std::nullopt;
}

}  // namespace

double SkewPolicy::skew_s(const std::vector<double>& no_delay_s, std::size_t algorithm) const {
  if (kind == Kind::given) return seconds;
  if (algorithm >= no_delay_s.size()) {
    throw UsageError("skew: algorithm " + std::to_string(algorithm) + " has no last delay without skew");
  }
  if (kind == Kind::own) return factor * no_delay_s[algorithm];
  return factor * std::accumulate(no_delay_s.begin(), no_delay_s.end(), 0.0) / static_cast<double>(no_delay_s.size());
}

SkewPolicy parse_skew(std::string_view text) {
  for (const auto& [word, kind] :
       {std::pair{"mean", SkewPolicy::Kind::mean}, std::pair{"own", SkewPolicy::Kind::own}}) {
    const std::string_view name = word;
    if (!text.starts_with(name)) continue;
    if (text.size() == name.size()) return {.kind = kind};
    const auto factor = text[name.size()] == ':' ? positive(text.substr(name.size() + 1)) : std::nullopt;
    if (!factor) refuse(text);
    return {.kind = kind, .factor = *factor};
  }
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto value = positive(text.substr(0, text.size() - unit.name.size()));
    if (!value) refuse(text);
    return {.kind = SkewPolicy::Kind::given, .seconds = *value * unit.seconds};
  }
  refuse(text);
}

std::string text_of(const SkewPolicy& policy) {
  switch (policy.kind) {
    case SkewPolicy::Kind::mean:
      return "mean:" + cell(policy.factor);
    case SkewPolicy::Kind::own:
      return "own:" + cell(policy.factor);
    case SkewPolicy::Kind::given:
      break;
  }
  return cell(policy.seconds) + "s";
}

}  // namespace laxity::collective
