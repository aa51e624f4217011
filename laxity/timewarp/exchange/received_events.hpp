// Events that come from other workers: where the sender's handle finds them, and what waits outside event memory.
//
// An event gets a record, or, when memory is short, is parked as it came: refusing it could hold up the anti-message
// behind it that would make room. If not even the events of GVT find room, those that wait and lie ahead of it leave
// event memory again. Parked events are bounded by the memory of their senders, which keep a stub of each.
//
// Invariants: a handle leads to the newest event that had it; an event is in event memory or parked, never both.
// Threads: one. Elsewhere: the other side (output_queue.hpp), when memory is short (optimistic_worker.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/overflow_queue.hpp"
#include "laxity/timewarp/state/local_events.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set>
class ReceivedEvents {
 public:
  ReceivedEvents(LocalEvents<M, Set>& events, std::size_t channels) : events_(events), handles_(channels) {}

  /// Takes in an event; parks it if fewer than `reserve` records would be left.
  void accept(std::size_t channel, const Message<M>& message, std::size_t reserve) {
    if (events_.free_count() > reserve) {
      set_handle(channel, message.handle, put(channel, message));
    } else {
      park(channel, message);
    }
  }

  /// The record of an event that is canceled; nothing if it was parked, and then it is gone.
  [[nodiscard]] std::optional<EventId> canceled(std::size_t channel, std::uint32_t handle) {
    const std::uint32_t place = handles_[channel][handle];
    if ((place & is_in_overflow) == 0) return place;
    overflow_.cancel(place);
    return std::nullopt;
  }

  /// Takes in what was parked, earliest first: while `reserve` records are left, and the very next event while there is
  /// any at all. Says how many.
  std::size_t admit_overflow(std::size_t reserve) {
    std::size_t accepted = 0;
    while (!overflow_.empty()) {
      const PendingEvent* next = events_.next();
      const bool is_next = next == nullptr || overflow_.least() < next->key;
      if (events_.free_count() <= (is_next ? 0 : reserve)) break;
      const OverflowMessage<M> parked = overflow_.pop();
      const Message<M>& message = parked.message;
      const EventId event = put(parked.channel, message);
      if (leads_to(parked.channel, message.handle, parked.ticket)) set_handle(parked.channel, message.handle, event);
      ++accepted;
    }
    return accepted;
  }

  /// Parks what came from others, waits and does not lie before `key`.
  void move_to_overflow(const Key& key) {
    events_.remove_if([&](const PendingEvent& waiting, const HistoryRecord<M>& event) {
      if (!event.is_remote() || waiting.key < key) return false;
      Message<M> message{};
      message.key = waiting.key;
      message.receiver = waiting.receiver;
      message.payload = event.view().payload;
      const std::uint32_t handle = events_.link(waiting.event);
      const bool can_be_canceled = leads_to(event.channel(), handle, waiting.event);
      message.handle = (can_be_canceled ? handle : Message<M>::no_handle) & Message<M>::no_handle;
      park(event.channel(), message);
      events_.release(waiting.event);
      return true;
    });
  }

  [[nodiscard]] bool has_overflow() const noexcept { return !overflow_.empty(); }
  /// Of all that are parked; there must be one.
  [[nodiscard]] const Key& least_overflow() const noexcept { return overflow_.least(); }

 private:
  EventId put(std::size_t channel, const Message<M>& message) {
    const std::uint32_t origin = HistoryRecord<M>::origin_of(channel);
    const EventId id = message.is_shared()
                           ? events_.add_shared(message.key, message.receiver, shared_event_at(message.payload), origin)
                           : events_.add(message.key, message.receiver, message.payload, origin);
    events_.link(id) = message.handle;
    return id;
  }

  // What is parked is a copy in any case, so that it takes no room of its sender's.
  void park(std::size_t channel, Message<M> message) {
    if (message.is_shared()) {
      SharedEvent<typename M::Event>& event = shared_event_at(message.payload);
      message.payload = event.payload();
      message.kind = MessageKind::event;
      event.release();
    }
    const std::uint32_t ticket = is_in_overflow | next_ticket_++;  // after 2^31 they are free again
    set_handle(channel, message.handle, ticket);
    overflow_.push({channel, ticket, message});
  }

  void set_handle(std::size_t channel, std::uint32_t handle, std::uint32_t place) {
    if (handle == Message<M>::no_handle) return;
    auto& handles = handles_[channel];
    if (handles.size() <= handle) handles.resize(std::max<std::size_t>(handle + 1, 2 * handles.size()));
    handles[handle] = place;
  }

  // The handle may have gone to a later event, if this one cannot be canceled any more.
  [[nodiscard]] bool leads_to(std::size_t channel, std::uint32_t handle, std::uint32_t place) const noexcept {
    return handle != Message<M>::no_handle && handles_[channel][handle] == place;
  }

  static constexpr std::uint32_t is_in_overflow = 1U << 31;

  LocalEvents<M, Set>& events_;
  std::vector<std::vector<std::uint32_t>> handles_;  // by channel and handle: the record of the event, or its ticket
  OverflowQueue<M> overflow_;
  std::uint32_t next_ticket_ = 0;
};

}  // namespace laxity::timewarp
