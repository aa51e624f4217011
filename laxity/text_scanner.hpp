// A scanner for words and numbers of a text in memory, with line and column in errors.
//
// Line and column are computed only when an error is thrown. Blanks are spaces, tabs and carriage returns, so that both
// kinds of line ends are accepted.
//
// Threads: one scanner, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace laxity::detail {

/// Reads a regular file. Throws SystemError naming call and path; UsageError if it is a directory, a pipe or a device
/// (which might never end).
[[nodiscard]] std::string read_whole_file(const std::string& path);

class TextScanner {
 public:
  /// `name` is used in errors. `text` must outlive the scanner.
  TextScanner(std::string name, std::string_view text) noexcept
      : name_(std::move(name)), begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  [[nodiscard]] const char* at() const noexcept { return at_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  /// At the last character of a line or of the text; blanks are not skipped.
  [[nodiscard]] bool at_line_end() const noexcept { return at_ == end_ || *at_ == '\n'; }
  [[nodiscard]] char peek() const noexcept { return at_ == end_ ? '\0' : *at_; }

  void skip_blanks() noexcept {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  void skip_rest_of_line() noexcept {
    while (!at_line_end()) ++at_;
  }
  /// Skips to the start of the next line.
  void next_line() noexcept {
    skip_rest_of_line();
    if (at_ != end_) ++at_;
  }

  /// Skips blanks, then reads the characters up to the next blank, line end or `stop`. Empty at the end of the line.
  [[nodiscard]] std::string_view word(char stop = '\n') noexcept {
    skip_blanks();
    const char* const first = at_;
    while (at_ != end_ && !is_blank(*at_) && *at_ != '\n' && *at_ != stop) ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  /// Skips blanks, then reads an integer in low .. high that ends at a blank or line end. `what` describes it
  /// in errors: "a neighbor".
  [[nodiscard]] std::uint64_t number(const char* what, std::uint64_t low = 0,
                                     std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) {
    skip_blanks();
    const char* const first = at_;
    std::uint64_t value = 0;
    bool fits = true;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      const auto digit = static_cast<std::uint64_t>(*at_ - '0');
      fits = fits && value <= (std::numeric_limits<std::uint64_t>::max() - digit) / 10;
      value = value * 10 + digit;
    }
    const bool whole = at_ != first && (at_line_end() || is_blank(*at_));
    if (!whole || !fits || value < low || value > high) fail_number(first, what, low, high);
    return value;
  }

  /// Line and column, from 1, of a position inside the text or its end.
  [[nodiscard]] std::pair<long, long> place_of(const char* where) const noexcept;
  /// Throws ParseError at `where`, a position inside the text or its end.
  [[noreturn]] void fail(const char* where, const std::string& what) const;

 private:
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
  [[noreturn]] void fail_number(const char* where, const char* what, std::uint64_t low, std::uint64_t high);

  std::string name_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

/// A word of the input for an error message: quoted, truncated to 20 characters, unprintable characters as dots.
[[nodiscard]] std::string quoted(std::string_view word);

}  // namespace laxity::detail
