// Arrival patterns in files: a line a process, its delay in seconds.
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
// '#' begins a comment line. Of the comments above, those that are there must be true of the lines; a file of bare
// numbers, as other generators write it, is a pattern too. Numbers are written in the shortest form that reads back the
// same.
//
// Errors: ParseError names line, column and what was expected. Any bytes give a pattern or an error. Time and memory are
// linear in the file's size (8 bytes per two bytes of text at most).
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

/// The name of a traced application's mean pattern. It has a choice of its own and no part in the robust one.
inline constexpr const char* application_pattern = "application";

/// A pattern as delays, wherever it came from: a shape, a traced application, somebody's file.
struct ArrivalPattern {
  std::string name;                   ///< one line; "from_file" where the file says none
  std::optional<std::uint64_t> seed;  ///< of the shapes that have one
  std::vector<double> delays_s;       ///< of process 0 .. p-1, each finite and not negative; at least one

  [[nodiscard]] double max_skew_s() const noexcept;
  friend bool operator==(const ArrivalPattern&, const ArrivalPattern&) = default;
};

/// A shape as delays, with the name and, for `random`, the seed that tell how it was made. Throws as arrival_delays().
[[nodiscard]] ArrivalPattern make_pattern(Pattern pattern, int processes, double max_skew_s, std::uint64_t seed = 1);

/// The text of a pattern file.
[[nodiscard]] std::string format_pattern(const ArrivalPattern& pattern);

/// The pattern in a text; `file` stands in errors where a file's name would. Throws ParseError.
[[nodiscard]] ArrivalPattern parse_pattern(std::string_view text, const std::string& file);

/// The pattern in a file. Throws ParseError; SystemError if it cannot be read; UsageError if it is no regular file.
[[nodiscard]] ArrivalPattern read_pattern_file(const std::string& path);

}  // namespace laxity::collective
