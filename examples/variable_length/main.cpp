// Messages of variable length: strings are copied out of the frame, spans are read in place.
#include <array>
#include <iostream>
#include <string>

#include "laxity/channel/channel.hpp"

int main() {
  auto words = laxity::channel<std::string>({.send_depth = 3, .max_bytes = 16});
  for (const char* word : {"late", "messages", "", "are dropped"})
    std::cout << '"' << word << "\" " << (words.inlet.try_put(word) ? "queued" : "refused: no room") << '\n';
  while (words.outlet.try_step() != 0) std::cout << '"' << words.outlet.get() << "\" received\n";
  try {
    words.inlet.try_put("longer than sixteen bytes");
  } catch (const laxity::PayloadTooLarge& error) {
    std::cout << error.what() << '\n';
  }

  auto series = laxity::channel<std::span<const double>>({.max_bytes = 1024});
  const std::array<double, 3> samples{0.5, 1.5, 2.5};
  series.inlet.put(samples);
  for (const double sample : series.outlet.get_next()) std::cout << sample << ' ';  // valid until the next pull
  std::cout << '\n';
}
