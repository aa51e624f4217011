// How events reach the processes of other workers, in order and without loss.
//
// Elsewhere: over rings between threads and processes (ring_exchange.hpp), over queues that all threads share
// (queue_exchange.hpp), in one thread with adversarial delivery (replayed_exchange.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "laxity/check.hpp"
#include "laxity/timewarp/event.hpp"

namespace laxity::timewarp {

enum class MessageKind : std::uint32_t {
  event,
  shared_event,  ///< in the place of the payload is the address of a SharedEvent
  anti_message,  ///< in the place of the payload is a number, and as many handles of further events that it cancels
};

/// An event, or the anti-message that cancels events.
template <class M>
struct Message {
  static constexpr std::uint32_t no_handle = (1U << 29) - 1;  ///< of an event that is never canceled

  Key key;  ///< of an anti-message: the least of the events' keys
  LpId receiver;
  std::uint32_t handle : 29;  ///< the sender's number for the event; unique among those that may still be canceled
  std::uint32_t color : 1;    ///< see gvt.hpp
  MessageKind kind : 2;
  typename M::Event payload;

  [[nodiscard]] bool is_shared() const noexcept { return kind == MessageKind::shared_event; }
  [[nodiscard]] bool cancels() const noexcept { return kind == MessageKind::anti_message; }

  /// Of which so many bytes mean something.
  [[nodiscard]] std::size_t bytes() const noexcept {
    constexpr std::size_t before_payload = offsetof(Message, payload);
    if (cancels()) return before_payload + (max_canceled == 1 ? 0 : canceled() * sizeof(std::uint32_t));
    return is_shared() ? before_payload + sizeof(void*) : sizeof(Message);
  }

  // ---- an anti-message ----

  /// Events that one can cancel; a few, so that frames which have no room for payloads have it for these.
  static constexpr std::uint32_t max_canceled =
      std::clamp<std::uint32_t>(sizeof(typename M::Event) / sizeof(std::uint32_t), 1, 16);

  /// Makes it one that cancels the event of its handle.
  void make_anti_message() noexcept {
    kind = MessageKind::anti_message;
    set_word(0, 0);
  }
  [[nodiscard]] std::uint32_t canceled() const noexcept { return 1 + word(0); }
  /// Cancels another event; at most max_canceled in all.
  void cancel_also(std::uint32_t other) noexcept {
    LAXITY_DCHECK(canceled() < max_canceled);
    set_word(0, word(0) + 1);
    set_word(word(0), other);
  }
  /// Calls see(handle) for each event that it cancels.
  template <class See>
  void for_each_canceled(See see) const {
    see(std::uint32_t{handle});
    for (std::uint32_t i = 1; i < canceled(); ++i) see(word(i));
  }

 private:
  [[nodiscard]] std::uint32_t word(std::uint32_t i) const noexcept {
    std::uint32_t value = 0;
    if constexpr (max_canceled > 1) {
      std::memcpy(&value, reinterpret_cast<const std::byte*>(&payload) + i * sizeof value, sizeof value);
    }
    return value;
  }
  void set_word(std::uint32_t i, std::uint32_t value) noexcept {
    if constexpr (max_canceled > 1) {
      std::memcpy(reinterpret_cast<std::byte*>(&payload) + i * sizeof value, &value, sizeof value);
    }
  }
};

/// One worker's end.
///  1. send() never blocks and never refuses: what does not fit is kept and tried again by flush();
///  2. every message arrives once, in a channel; those of one channel come from one sender and arrive in the order in
///     which it sent them, and all that it sends to one worker in one lane(receiver) use one channel;
///  3. receive(limit, deliver) calls deliver(channel, message) at most `limit` times and says how often; of the message only
///     the first bytes() are there, and only until deliver returns;
///  4. channels() are numbered from 0; backlog() counts the messages that are kept.
template <class E, class M>
concept Exchange = requires(E& exchange, const Message<M>& message) {
  exchange.send(0, message);
  { exchange.lane(LpId{0}) } -> std::same_as<std::size_t>;
  exchange.flush();
  {
    exchange.receive(std::size_t{1}, [](std::size_t, const Message<M>&) {})
  } -> std::same_as<std::size_t>;
  { exchange.channels() } -> std::same_as<std::size_t>;
  { exchange.backlog() } -> std::same_as<std::size_t>;
};

}  // namespace laxity::timewarp
