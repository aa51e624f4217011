#include <iostream>
#include <thread>

#include "laxity/channel/channel.hpp"

int main() {
  auto [inlet, outlet] = laxity::channel<int>({.send_depth = 4});
  std::jthread producer([&inlet = inlet] {
    for (int i = 1; i <= 100; ++i) inlet.put(i);  // try_put(i) would drop what there is no room for
  });
  while (outlet.get() != 100) outlet.jump();  // to the newest, passing over the others
  std::cout << "newest: " << outlet.get() << ", received: " << outlet.counters().received() << '\n';
}
