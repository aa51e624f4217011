#include "apps/laxity/launch/team_shape.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "laxity/error.hpp"

namespace laxity::cli {

std::string Shape::text() const {
  if (processes == 0) return fmt::format("{}t", threads);
  const char kind = ranks ? 'r' : 'p';
  return threads == 1 ? fmt::format("{}{}", processes, kind) : fmt::format("{}{}{}t", processes, kind, threads);
}

Shape shape_named(const std::string& text) {
  int processes = 0, threads = 0, end = 0;
  const auto whole = [&] { return end == static_cast<int>(text.size()); };
  if (std::sscanf(text.c_str(), "%4dt%n", &threads, &end) == 1 && whole() && threads > 0) return {threads, 0, false};
  end = 0;
  if (std::sscanf(text.c_str(), "%4dp%n", &processes, &end) == 1 && whole() && processes > 0)
    return {1, processes, false};
  end = 0;
  if (std::sscanf(text.c_str(), "%4dp%4dt%n", &processes, &threads, &end) == 2 && whole() && processes > 0 &&
      threads > 0)
    return {threads, processes, false};
  throw UsageError("team '" + text +
                   "': write 2t for two threads, 2p for two processes, 2p3t for two processes of three threads each");
}

}  // namespace laxity::cli
