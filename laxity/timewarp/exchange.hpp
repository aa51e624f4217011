// How events reach the processes of other workers, in order and without loss.
//
// Elsewhere: over rings between threads and processes (ring_exchange.hpp), over queues that all threads share
// (queue_exchange.hpp), in one thread with adversarial delivery (simulated_exchange.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "laxity/timewarp/event.hpp"

namespace laxity::timewarp {

/// An event, or the anti-message that cancels it.
template <class M>
struct Message {
  static constexpr std::uint32_t no_handle = (1U << 29) - 1;  ///< of an event that is never cancelled

  Key key;
  LpId receiver;
  std::uint32_t handle : 29;  ///< the sender's number for the event; unique among those that may still be cancelled
  std::uint32_t colour : 1;   ///< see gvt.hpp
  std::uint32_t cancels : 1;  ///< an anti-message: the payload means nothing
  std::uint32_t shared : 1;   ///< in the place of the payload is the address of a SharedEvent
  typename M::Event payload;

  /// Of which so many bytes mean something.
  [[nodiscard]] std::size_t bytes() const noexcept {
    if (cancels) return offsetof(Message, payload);
    return shared ? offsetof(Message, payload) + sizeof(void*) : sizeof(Message);
  }
};

/// One worker's end.
///  1. send() never blocks and never refuses: what does not fit is kept and tried again by flush();
///  2. every message arrives once, in a channel; those of one channel come from one sender and arrive in the order in
///     which it sent them, and all that it sends to one logical process use one channel;
///  3. receive(limit, deliver) calls deliver(channel, message) at most `limit` times and says how often; of the message only
///     the first bytes() are there, and only until deliver returns;
///  4. channels() are numbered from 0; backlog() counts the messages that are kept.
template <class E, class M>
concept Exchange = requires(E& exchange, const Message<M>& message) {
  exchange.send(0, message);
  exchange.flush();
  {
    exchange.receive(std::size_t{1}, [](std::size_t, const Message<M>&) {})
  } -> std::same_as<std::size_t>;
  { exchange.channels() } -> std::same_as<std::size_t>;
  { exchange.backlog() } -> std::same_as<std::size_t>;
};

}  // namespace laxity::timewarp
