// Events received from other workers: admits them to event memory, and finds them by their handles when they are
// canceled.
//
// A received event gets a record, or, when memory is short, enters the overflow queue as a copy. If not even the events
// at GVT find a record, pending events beyond GVT move from event memory to the overflow queue (cancelback).
//
// Invariants: a handle leads to the newest event that had it; an event is in event memory or in the overflow queue,
// never in both. Threads: one. Elsewhere: the sender's side (output_queue.hpp), memory pressure (memory_pressure.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/overflow_queue.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/local_events.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set>
class ReceivedEvents {
 public:
  ReceivedEvents(LocalEvents<M, Set>& events, std::size_t channels) : events_(events), handles_(channels) {}

  /// Admits an event to event memory; to the overflow queue if fewer than `reserve` records would stay free.
  void accept(std::size_t channel, const Message<M>& message, std::size_t reserve) {
    if (events_.free_count() > reserve) {
      set_handle(channel, message.handle, add(channel, message));
    } else {
      push_overflow(channel, message);
    }
  }

  /// The record of an event that is canceled. Empty if it was in the overflow queue, from which it was removed.
  [[nodiscard]] std::optional<EventId> canceled(std::size_t channel, std::uint32_t handle) {
    const std::uint32_t place = handles_[channel][handle];
    if ((place & is_in_overflow) == 0) return place;
    overflow_.cancel(place);
    return std::nullopt;
  }

  /// Moves events from the overflow queue to event memory, in the order of keys, as long as `reserve` records stay
  /// free; an event that would be the next to process as long as any record is free. Returns the number of events
  /// moved.
  std::size_t admit_overflow(std::size_t reserve) {
    std::size_t admitted = 0;
    while (!overflow_.empty()) {
      const PendingEvent* next = events_.next();
      const bool is_next = next == nullptr || overflow_.least() < next->key;
      if (events_.free_count() <= (is_next ? 0 : reserve)) break;
      const OverflowMessage<M> first = overflow_.pop();
      const Message<M>& message = first.message;
      const EventId event = add(first.channel, message);
      if (leads_to(first.channel, message.handle, first.ticket)) set_handle(first.channel, message.handle, event);
      ++admitted;
    }
    return admitted;
  }

  /// Moves the pending events from other workers with keys from `key` on to the overflow queue.
  void move_to_overflow(const Key& key) {
    events_.remove_if([&](const PendingEvent& pending, const HistoryRecord<M>& event) {
      if (!event.is_remote() || pending.key < key) return false;
      Message<M> message{};
      message.key = pending.key;
      message.receiver = pending.receiver;
      message.payload = event.view().payload;
      const std::uint32_t handle = events_.link(pending.event);
      const bool can_be_canceled = leads_to(event.channel(), handle, pending.event);
      message.handle = (can_be_canceled ? handle : Message<M>::no_handle) & Message<M>::no_handle;
      push_overflow(event.channel(), message);
      events_.release(pending.event);
      return true;
    });
  }

  [[nodiscard]] bool has_overflow() const noexcept { return !overflow_.empty(); }
  [[nodiscard]] std::size_t overflow_bytes() const noexcept { return overflow_.bytes(); }
  /// The least key in the overflow queue, which must not be empty.
  [[nodiscard]] const Key& min_overflow() const noexcept { return overflow_.least(); }

 private:
  EventId add(std::size_t channel, const Message<M>& message) {
    const std::uint32_t origin = HistoryRecord<M>::origin_of(channel);
    const EventId id = message.is_shared()
                           ? events_.add_shared(message.key, message.receiver, shared_event_at(message.payload), origin)
                           : events_.add(message.key, message.receiver, message.payload, origin);
    events_.link(id) = message.handle;
    return id;
  }

  // A shared event is copied and released, so that the overflow queue does not use the memory of the sender.
  void push_overflow(std::size_t channel, Message<M> message) {
    if (message.is_shared()) {
      SharedEvent<typename M::Event>& event = shared_event_at(message.payload);
      message.payload = event.payload();
      message.kind = MessageKind::event;
      event.release();
    }
    const std::uint32_t ticket = is_in_overflow | next_ticket_++;  // unique for 2^31 messages
    set_handle(channel, message.handle, ticket);
    overflow_.push({channel, ticket, message});
  }

  void set_handle(std::size_t channel, std::uint32_t handle, std::uint32_t place) {
    if (handle == Message<M>::no_handle) return;
    auto& handles = handles_[channel];
    if (handles.size() <= handle) handles.resize(std::max<std::size_t>(handle + 1, 2 * handles.size()));
    handles[handle] = place;
  }

  // A sender reuses the handle of an event that can no longer be canceled; the handle then leads to the later event.
  [[nodiscard]] bool leads_to(std::size_t channel, std::uint32_t handle, std::uint32_t place) const noexcept {
    return handle != Message<M>::no_handle && handles_[channel][handle] == place;
  }

  static constexpr std::uint32_t is_in_overflow = 1U << 31;

  LocalEvents<M, Set>& events_;
  std::vector<std::vector<std::uint32_t>> handles_;  // by channel and handle: the event's record, or its ticket
  OverflowQueue<M> overflow_;
  std::uint32_t next_ticket_ = 0;
};

}  // namespace laxity::timewarp
