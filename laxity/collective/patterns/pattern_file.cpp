#include "laxity/collective/patterns/pattern_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective {
namespace {

using laxity::detail::quoted;
using laxity::detail::TextScanner;

constexpr std::string_view title = "# laxity arrival pattern\n";

// The values in the comments, which are compared with the delays at the end, and where they are in the text.
struct Comments {
  std::optional<std::uint64_t> processes;
  std::optional<double> max_skew_s;
  const char* processes_at = nullptr;
  const char* max_skew_at = nullptr;
};

double read_delay(TextScanner& text, const char* what) {
  const std::string_view word = text.word();
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // The condition is written so that NaN is refused.
  if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && std::isfinite(value))) {
    text.fail(word.data(), std::string("expected ") + what + ", a number of seconds, 0 or more; found " +
                               (word.empty() ? "the end of the line" : quoted(word)));
  }
  return value;
}

void expect_line_end(TextScanner& text) {
  text.skip_blanks();
  if (!text.at_line_end()) text.fail(text.at(), "expected the end of the line after the number; one process per line");
}

// The rest of the line, without leading and trailing blanks.
std::string rest_of_line(TextScanner& text) {
  text.skip_blanks();
  const char* const first = text.at();
  text.skip_rest_of_line();
  std::string_view rest(first, static_cast<std::size_t>(text.at() - first));
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t' || rest.back() == '\r')) rest.remove_suffix(1);
  return std::string(rest);
}

void read_comment(TextScanner& text, ArrivalPattern& pattern, Comments& comments) {
  const std::string_view mark = text.word();
  if (mark != "#") return;
  const std::string_view key = text.word();
  text.skip_blanks();
  if (key == "name:") {
    pattern.name = rest_of_line(text);
  } else if (key == "seed:") {
    pattern.seed = text.number("a seed");
    expect_line_end(text);
  } else if (key == "processes:") {
    comments.processes_at = text.at();
    comments.processes = text.number("a number of processes", 1);
    expect_line_end(text);
  } else if (key == "max_skew_s:") {
    comments.max_skew_at = text.at();
    comments.max_skew_s = read_delay(text, "the largest delay");
    expect_line_end(text);
  }
}

void check_comments(const TextScanner& text, const ArrivalPattern& pattern, const Comments& comments) {
  const std::size_t lines = pattern.delays_s.size();
  if (lines == 0) text.fail(text.at(), "expected the delay of process 0; the file has no line with a number");
  if (comments.processes && *comments.processes != lines) {
    text.fail(comments.processes_at, "the comment says " + std::to_string(*comments.processes) +
                                         " processes; the file has " + std::to_string(lines) + " delays");
  }
  if (comments.max_skew_s && *comments.max_skew_s != pattern.max_skew_s()) {
    text.fail(comments.max_skew_at, "the comment says " + cell(*comments.max_skew_s) + " s; the largest delay is " +
                                        cell(pattern.max_skew_s()) + " s");
  }
}

}  // namespace

double ArrivalPattern::max_skew_s() const noexcept {
  return delays_s.empty() ? 0 : *std::max_element(delays_s.begin(), delays_s.end());
}

ArrivalPattern make_pattern(Pattern pattern, int processes, double max_skew_s, std::uint64_t seed) {
  ArrivalPattern made{std::string(name_of(pattern)), {}, arrival_delays(pattern, processes, max_skew_s, seed)};
  if (pattern == Pattern::random) made.seed = seed;
  return made;
}

std::string format_pattern(const ArrivalPattern& pattern) {
  std::string text(title);
  text += "# name: " + pattern.name + '\n';
  text += "# processes: " + std::to_string(pattern.delays_s.size()) + '\n';
  text += "# max_skew_s: " + cell(pattern.max_skew_s()) + '\n';
  if (pattern.seed) text += "# seed: " + std::to_string(*pattern.seed) + '\n';
  for (const double delay : pattern.delays_s) text += cell(delay) + '\n';
  return text;
}

ArrivalPattern parse_pattern(std::string_view content, const std::string& file) {
  TextScanner text(file, content);
  ArrivalPattern pattern{"from_file", {}, {}};
  Comments comments;
  for (; !text.at_end(); text.next_line()) {
    text.skip_blanks();
    if (text.at_line_end()) {
      const char* const here = text.at();
      while (!text.at_end() && text.at_line_end()) {
        text.next_line();
        text.skip_blanks();
      }
      if (text.at_end()) break;
      text.fail(here, "expected the delay of a process; empty lines are allowed only at the end of the file");
    }
    if (text.peek() == '#') {
      read_comment(text, pattern, comments);
    } else {
      pattern.delays_s.push_back(read_delay(text, "the delay of a process"));
      expect_line_end(text);
    }
  }
  check_comments(text, pattern, comments);
  return pattern;
}

ArrivalPattern read_pattern_file(const std::string& path) {
  return parse_pattern(laxity::detail::read_whole_file(path), path);
}

}  // namespace laxity::collective
