#include <iostream>
#include <thread>

#include "laxity/channel/channel.hpp"

int main() {
  auto [inlet, outlet] = laxity::channel<int>({.send_depth = 4});
  std::jthread producer([&inlet = inlet] {
    for (int i = 1; i <= 100; ++i) inlet.put(i);  // blocks while the buffer is full; try_put(i) would refuse
  });
  while (outlet.get() != 100) outlet.jump();  // to the newest message, skipping the others
  std::cout << "newest: " << outlet.get() << ", received: " << outlet.counters().received() << '\n';
}
