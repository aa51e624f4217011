// Durations as text, the same for every option: 1.5s, 200ms, 20us, 100ns, 5min, 2h; a number alone is seconds.
//
// Threads: any. Elsewhere: options that are durations (Command::add_duration), the time that is left (progress_line.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laxity::cli {

/// Smallest and largest value of an option, in seconds.
struct DurationRange {
  double min_s = 0;
  double max_s = 1e6;  ///< eleven days
};

/// A range without zero.
inline constexpr DurationRange positive_duration{.min_s = 1e-9};

/// Reads a duration in seconds; nothing if the text is none.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text);

/// The shortest text that parse_duration() reads as these seconds: "1.5s", "200ms", "0s".
[[nodiscard]] std::string short_duration(double seconds);

/// Reads a duration in seconds. Throws UsageError naming the option and what it accepts.
[[nodiscard]] double duration_of(const std::string& option, const std::string& text, const DurationRange& range);

}  // namespace laxity::cli
