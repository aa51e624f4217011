// What a user of the library might write first. Ends with 0 if the message came through.
#include "laxity/channel/channel.hpp"
#include "laxity/clock/tsc_clock.hpp"

int main() {
  auto [inlet, outlet] = laxity::channel<int>({.send_depth = 2});
  const bool accepted = inlet.try_put(42);
  const bool told_time = laxity::TscClock().now_ns() != 0;
  return accepted && told_time && outlet.jump_get() == 42 ? 0 : 1;
}
