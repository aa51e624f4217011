// Numbers of any size in few characters.
//
// Threads: any.
#pragma once

#include <string>

namespace laxity::cli {

/// Three significant digits (two below 0.1) and a prefix, at most six characters between 1e-3 and 1e12: "12.3M", "34.8k", "0.25", "0".
[[nodiscard]] std::string short_number(double value);

/// A time in the unit that suits it, three significant digits: "340ns", "1.25ms", "12.3s".
[[nodiscard]] std::string short_time(double ns);

}  // namespace laxity::cli
