// Arrival patterns in files: one line per process with its delay in seconds.
//
//   # laxity arrival pattern
//   # name: ascending
//   # processes: 3
//   # max_skew_s: 0.001
//   # seed: 1
//   0
//   5e-04
//   0.001
//
// A line that starts with '#' is a comment. The comments above are optional, but must agree with the delays. A file
// without comments is valid, too. Numbers are written in the shortest form that is read back as the same value.
//
// Errors: ParseError names line, column and the expected text. Any input gives a pattern or an error. Time and memory
// are linear in the file size (at most 8 bytes per two bytes of text).
// Threads: pure functions.
// Elsewhere: the shapes (pattern.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/collective/patterns/pattern.hpp"

namespace laxity::collective {

/// The name of the mean pattern of a traced application. It decides the traced choice and is no part of the robust one.
inline constexpr const char* application_pattern = "application";

/// The delays of all processes, from a shape, a traced application or a file.
struct ArrivalPattern {
  std::string name;                   ///< one line; "from_file" if the file has no name
  std::optional<std::uint64_t> seed;  ///< of `random`
  std::vector<double> delays_s;       ///< of process 0 .. p-1, each finite and not negative; at least one

  [[nodiscard]] double max_skew_s() const noexcept;
  friend bool operator==(const ArrivalPattern&, const ArrivalPattern&) = default;
};

/// The delays of a shape, with its name and, for `random`, its seed. Throws as arrival_delays().
[[nodiscard]] ArrivalPattern make_pattern(Pattern pattern, int processes, double max_skew_s, std::uint64_t seed = 1);

/// The text of a pattern file.
[[nodiscard]] std::string format_pattern(const ArrivalPattern& pattern);

/// Parses the text of a pattern file; `file` is its name in errors. Throws ParseError.
[[nodiscard]] ArrivalPattern parse_pattern(std::string_view text, const std::string& file);

/// Reads a pattern file. Throws ParseError; SystemError if it cannot be read; UsageError if it is not a regular file.
[[nodiscard]] ArrivalPattern read_pattern_file(const std::string& path);

}  // namespace laxity::collective
