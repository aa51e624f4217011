// Comments in rules files. Threads: pure functions.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace laxity::collective::detail {

/// Every line of the text after "# ".
[[nodiscard]] inline std::string as_comment(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.append("# ").append(line).append("\n");
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

}  // namespace laxity::collective::detail
