#include "laxity/cli/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace laxity::cli {

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), begin_ns_(clock_.now_ns()), last_ns_(begin_ns_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(double fraction, const std::string& what) {
  if (quiet_) return;
  const std::int64_t now_ns = clock_.now_ns();
  const std::int64_t pause_ns = terminal_ ? 100'000'000 : 30'000'000'000;
  if (now_ns - last_ns_ < pause_ns) return;
  last_ns_ = now_ns;
  const double passed_s = static_cast<double>(now_ns - begin_ns_) * 1e-9;
  const std::string left = fraction > 0 ? duration_text(passed_s * (1 - fraction) / fraction) + " left" : "";
  const std::string line = fmt::format("{:3.0f} %  {}  {}", 100 * fraction, left, what);
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", line.substr(0, 110), terminal_ ? "" : "\n");
  std::fflush(stderr);
  shown_ = terminal_;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace laxity::cli
