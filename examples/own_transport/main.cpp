// A channel over a user-defined transport (own_transport.hpp).
#include <cstdio>

#include "laxity/channel/inlet.hpp"
#include "laxity/channel/outlet.hpp"
#include "own_transport.hpp"

int main() {
  const auto box = std::make_shared<Mailbox>(2, sizeof(int));
  laxity::Inlet<int, MailboxSender> inlet{MailboxSender(box)};
  laxity::Outlet<int, MailboxReceiver> outlet(MailboxReceiver(box), -1);

  std::printf("before any message: %d\n", outlet.get());
  for (int message = 1; message <= 3; ++message) {
    std::printf("put %d: %s\n", message, inlet.try_put(message) ? "accepted" : "refused, the mailbox is full");
  }
  const std::size_t passed = outlet.jump();
  std::printf("jumped over %zu messages to %d\n", passed, outlet.get());
  std::printf("nothing new: moved %zu, still %d\n", outlet.try_step(), outlet.get());
}
