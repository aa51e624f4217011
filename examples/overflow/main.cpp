// Three overflow policies: ten messages into a channel of depth 3 before the reader starts.
#include <iostream>

#include "laxity/channel/channel.hpp"

int main() {
  using laxity::Overflow;
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    auto [inlet, outlet] = laxity::channel<int>({.send_depth = 3, .overflow = overflow});
    for (int message = 1; message <= 10; ++message) inlet.try_put(message);
    std::cout << laxity::to_string(overflow) << ':';
    while (outlet.try_step() != 0) std::cout << ' ' << outlet.get();
    std::cout << "  (refused " << inlet.counters().refused.read() << ", superseded "
              << outlet.counters().superseded.read() << ")\n";
  }
}
