// libFuzzer target: the first byte chooses format and direction, the rest is the text.
#include <cstdint>

#include "tests/property/graph_file_checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto format = static_cast<laxity::GraphFormat>(data[0] % 4);
  static_cast<void>(laxity::parses_or_names_the_place(text, format, data[0] % 8 >= 4));
  return 0;
}
