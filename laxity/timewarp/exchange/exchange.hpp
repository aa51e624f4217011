// The messages between workers, and the concept of an exchange, which delivers them in order and without loss.
//
// Threads: an exchange belongs to one worker.
// Elsewhere: rings between threads and processes (ring_exchange.hpp), payloads read from the memory of another process
// (attach_exchange.hpp), frames between hosts (inter_host_exchange.hpp), queues shared by all threads
// (queue_exchange.hpp), adversarial delivery in one thread (replayed_exchange.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "laxity/check.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

enum class MessageKind : std::uint32_t {
  event,
  shared_event,  ///< the payload is the address of a SharedEvent
  anti_message,  ///< the payload is the number of further events that are canceled, and their handles
};

/// An event, or an anti-message, which cancels one or more events of one sender.
template <class M>
struct Message {
  static constexpr std::uint32_t no_handle = (1U << 29) - 1;  ///< of an event that cannot be canceled

  Key key;  ///< of an anti-message: the least key of the events
  LpId receiver;
  std::uint32_t handle : 29;  ///< the sender's number of the event; unique among its events that may still be canceled
  std::uint32_t color : 1;    ///< of the GVT round (gvt.hpp)
  MessageKind kind : 2;
  typename M::Event payload;

  [[nodiscard]] bool is_shared() const noexcept { return kind == MessageKind::shared_event; }
  [[nodiscard]] bool is_anti_message() const noexcept { return kind == MessageKind::anti_message; }

  /// Number of valid bytes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    constexpr std::size_t before_payload = offsetof(Message, payload);
    if (is_anti_message()) return before_payload + (max_canceled == 1 ? 0 : canceled() * sizeof(std::uint32_t));
    return is_shared() ? before_payload + sizeof(void*) : sizeof(Message);
  }

  // ---- anti-messages ----

  /// The maximum number of events that one anti-message cancels. Small, so that it fits in frames without a payload.
  static constexpr std::uint32_t max_canceled =
      std::clamp<std::uint32_t>(sizeof(typename M::Event) / sizeof(std::uint32_t), 1, 16);

  /// Makes this an anti-message that cancels the event of its handle.
  void make_anti_message() noexcept {
    kind = MessageKind::anti_message;
    set_word(0, 0);
  }
  /// Number of events that it cancels.
  [[nodiscard]] std::uint32_t canceled() const noexcept { return 1 + word(0); }
  /// Makes it cancel another event; at most max_canceled in total.
  void cancel_also(std::uint32_t other) noexcept {
    LAXITY_DCHECK(canceled() < max_canceled);
    set_word(0, word(0) + 1);
    set_word(word(0), other);
  }
  /// Calls visit(handle) for each event that it cancels.
  template <class Visit>
  void for_each_canceled(Visit visit) const {
    visit(std::uint32_t{handle});
    for (std::uint32_t i = 1; i < canceled(); ++i) visit(word(i));
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

/// One worker's end of the message delivery.
///  1. send() never blocks and never refuses: a message that finds no room is kept, and flush() tries to send it again;
///  2. every message is received once, through a channel. All messages of a channel have one sender and are received in
///     the order in which they were sent; all messages to one worker with the same lane(receiver) use the same channel;
///  3. receive(limit, deliver) calls deliver(channel, message) at most `limit` times and returns the number of calls.
///     Only the first message.bytes() bytes of the message are valid, and only until deliver returns;
///  4. channels() is the number of channels, which are numbered from 0; backlog() is the number of messages kept.
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
