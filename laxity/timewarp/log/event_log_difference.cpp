#include "laxity/timewarp/log/event_log_difference.hpp"

#include <array>
#include <charconv>

#include "laxity/error.hpp"

namespace laxity::timewarp {
namespace {

// nullptr stands for the end of a log; not both are nullptr.
std::optional<LogDifference> difference_of(const LoggedEvent* a, const LoggedEvent* b) {
  using What = LogDifference::What;
  if (b == nullptr || (a != nullptr && a->key < b->key)) return LogDifference{What::only_in_first, *a, *a};
  if (a == nullptr || b->key < a->key) return LogDifference{What::only_in_second, *b, *b};
  if (a->receiver != b->receiver) return LogDifference{What::receiver, *a, *b};
  if (a->payload != b->payload) return LogDifference{What::payload, *a, *b};
  if (a->digest != b->digest) return LogDifference{What::state, *a, *b};
  return std::nullopt;
}

}  // namespace

LogComparison compare_event_logs(const std::filesystem::path& first, const std::filesystem::path& second) {
  EventLogReader a(first);
  EventLogReader b(second);
  if (a.header() != b.header()) {
    throw UsageError(first.string() + " and " + second.string() +
                     " belong to different models: the number of processes or the type of time differs");
  }
  LogComparison comparison{.header = a.header()};
  for (;; ++comparison.equal) {
    const auto in_first = a.next();
    const auto in_second = b.next();
    if (!in_first && !in_second) return comparison;
    comparison.difference = difference_of(in_first ? &*in_first : nullptr, in_second ? &*in_second : nullptr);
    if (comparison.difference) return comparison;
  }
}

std::string time_text(const LogHeader& header, const Key& key) {
  if (header.whole_times != 0) return std::to_string(TimeBits<std::int64_t>::time(key.time));
  std::array<char, 32> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), TimeBits<double>::time(key.time)).ptr;
  return {digits.data(), written};
}

}  // namespace laxity::timewarp
