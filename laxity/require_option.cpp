#include "laxity/require_option.hpp"

#include <array>
#include <charconv>

#include "laxity/error.hpp"

namespace laxity::detail {

void refuse_option(std::string_view option, const std::string& value, std::string_view rule) {
  throw UsageError(std::string(option) + " = " + value + ": " + std::string(rule));
}

std::string text_of(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace laxity::detail
