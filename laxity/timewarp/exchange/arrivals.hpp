// Events that come from other workers: where the sender's handle finds them, and what waits outside event memory.
//
// An event gets a record, or, when memory is short, is parked as it came: refusing it could hold up the anti-message
// behind it that would make room. If not even the events of GVT find room, those that wait and lie ahead of it leave
// event memory again. Parked events are bounded by the memory of their senders, which keep a stub of each.
//
// Invariants: a handle leads to the newest event that had it; an event is in event memory or parked, never both.
// Threads: one. Elsewhere: the other side (sent_away.hpp), when memory is short (optimistic_worker.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/parked_messages.hpp"
#include "laxity/timewarp/state/local_events.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set>
class Arrivals {
 public:
  Arrivals(LocalEvents<M, Set>& events, std::size_t channels) : events_(events), handles_(channels) {}

  /// Takes in an event; parks it if fewer than `reserve` records would be left.
  void accept(std::size_t channel, const Message<M>& message, std::size_t reserve) {
    if (events_.left() > reserve) {
      set_handle(channel, message.handle, put(channel, message));
    } else {
      park(channel, message);
    }
  }

  /// The record of an event that is canceled; nothing if it was parked, and then it is gone.
  [[nodiscard]] std::optional<EventId> canceled(std::size_t channel, std::uint32_t handle) {
    const std::uint32_t place = handles_[channel][handle];
    if ((place & is_parked) == 0) return place;
    parked_.cancel(place);
    return std::nullopt;
  }

  /// Takes in what was parked, earliest first: while `reserve` records are left, and the very next event while there is
  /// any at all. Says how many.
  std::size_t accept_parked(std::size_t reserve) {
    std::size_t accepted = 0;
    while (!parked_.empty()) {
      const PendingEvent* next = events_.next();
      const bool is_next = next == nullptr || parked_.least() < next->key;
      if (events_.left() <= (is_next ? 0 : reserve)) break;
      const Parked<M> parked = parked_.pop();
      const Message<M>& message = parked.message;
      const EventId event = put(parked.channel, message);
      if (leads_to(parked.channel, message.handle, parked.ticket)) set_handle(parked.channel, message.handle, event);
      ++accepted;
    }
    return accepted;
  }

  /// Parks what came from others, waits and does not lie before `key`.
  void park_from(const Key& key) {
    events_.remove_if([&](const PendingEvent& waiting, const HistoryRecord<M>& event) {
      if (!event.is_from_elsewhere() || waiting.key < key) return false;
      Message<M> message{};
      message.key = waiting.key;
      message.receiver = waiting.receiver;
      message.payload = event.view().payload;
      const std::uint32_t handle = events_.link(waiting.event);
      const bool can_be_canceled = leads_to(event.channel(), handle, waiting.event);
      message.handle = (can_be_canceled ? handle : Message<M>::no_handle) & Message<M>::no_handle;
      park(event.channel(), message);
      events_.give_back(waiting.event);
      return true;
    });
  }

  [[nodiscard]] bool has_parked() const noexcept { return !parked_.empty(); }
  /// Of all that are parked; there must be one.
  [[nodiscard]] const Key& least_parked() const noexcept { return parked_.least(); }

 private:
  EventId put(std::size_t channel, const Message<M>& message) {
    const std::uint32_t origin = HistoryRecord<M>::from(channel);
    const EventId id = message.is_shared()
                           ? events_.put_shared(message.key, message.receiver, shared_event_at(message.payload), origin)
                           : events_.put(message.key, message.receiver, message.payload, origin);
    events_.link(id) = message.handle;
    return id;
  }

  // What is parked is a copy in any case, so that it takes no room of its sender's.
  void park(std::size_t channel, Message<M> message) {
    if (message.is_shared()) {
      SharedEvent<typename M::Event>& event = shared_event_at(message.payload);
      message.payload = event.payload();
      message.kind = MessageKind::event;
      event.give_back();
    }
    const std::uint32_t ticket = is_parked | next_ticket_++;  // after 2^31 they are free again
    set_handle(channel, message.handle, ticket);
    parked_.push({channel, ticket, message});
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

  static constexpr std::uint32_t is_parked = 1U << 31;

  LocalEvents<M, Set>& events_;
  std::vector<std::vector<std::uint32_t>> handles_;  // by channel and handle: the record of the event, or its ticket
  ParkedMessages<M> parked_;
  std::uint32_t next_ticket_ = 0;
};

}  // namespace laxity::timewarp
