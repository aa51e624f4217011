// Messages to one receiver that found no room in its transport, in the order in which they were sent.
//
// Invariant: a message is sent after all that were sent before it. Threads: one.
#pragma once

#include <cstddef>
#include <deque>

#include "laxity/timewarp/exchange/exchange.hpp"

namespace laxity::timewarp {

template <class M>
class UnsentMessages {
 public:
  /// Sends the message by `try_send(message)`, or keeps it if there is no room. False: it was kept.
  template <class TrySend>
  bool send_or_keep(const Message<M>& message, TrySend try_send) {
    if (messages_.empty() && try_send(message)) return true;
    messages_.push_back(message);
    return false;
  }

  /// Sends what was kept as long as there is room. Returns the number of messages sent.
  template <class TrySend>
  std::size_t retry(TrySend try_send) {
    std::size_t sent = 0;
    for (; !messages_.empty() && try_send(messages_.front()); ++sent) messages_.pop_front();
    return sent;
  }

 private:
  std::deque<Message<M>> messages_;
};

}  // namespace laxity::timewarp
