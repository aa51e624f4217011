// Refusal of an option whose value makes no sense.
//
// The message names the option as C++ does, "end_time = -1: must be positive". The command line replaces the beginning
// by its own flag if it has one of the same name, "--end-time -1: must be positive" (laxity/cli/command.hpp).
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace laxity {

namespace detail {

[[noreturn]] void refuse_option(std::string_view option, const std::string& value, std::string_view rule);
/// The shortest text that is read back as the same number.
[[nodiscard]] std::string text_of(double value);

}  // namespace detail

/// Throws UsageError, "option = value: rule", unless `holds`.
template <std::integral Value>
void require_option(bool holds, std::string_view option, Value value, std::string_view rule) {
  if (!holds) detail::refuse_option(option, std::to_string(value), rule);
}
inline void require_option(bool holds, std::string_view option, double value, std::string_view rule) {
  if (!holds) detail::refuse_option(option, detail::text_of(value), rule);
}
inline void require_option(bool holds, std::string_view option, std::string_view value, std::string_view rule) {
  if (!holds) detail::refuse_option(option, std::string(value), rule);
}

}  // namespace laxity
