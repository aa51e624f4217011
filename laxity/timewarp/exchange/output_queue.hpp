// The output queue of a worker: the events that it has sent to other workers, and the anti-messages that cancel them.
//
// A stub stays here for every event that was sent to another worker, until its sending event is irrevocable or rolled
// back. The number of the stub is the handle by which the receiver knows the event. The stubs of the events that one
// event has sent form a list.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985).
// Threads: one. Elsewhere: delivery (exchange.hpp), the receiver's side (received_events.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/loaned_events.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/memory_placement.hpp"

namespace laxity::timewarp {

template <Model M, Exchange<M> Link>
class OutputQueue {
 public:
  using Sent = typename Context<M>::Sent;

  /// `loaned`: the memory of shared events; nullptr if events are copied. The references must outlive this. Throws
  /// SystemError.
  OutputQueue(Link& link, Gvt& gvt, const Partition& partition, std::size_t max_stubs, MemoryPlacement placement,
              LoanedEvents<typename M::Event>* loaned)
      : link_(link), gvt_(gvt), partition_(partition), stubs_(max_stubs, placement), loaned_(loaned) {}

  /// Sends an event whose sender can never be rolled back.
  void send_irrevocable(const Sent& sent) { send_to(partition_.worker_of(sent.receiver), sent, Message<M>::no_handle); }

  /// Sends an event and prepends its stub to `list`; a stub must be free.
  void send(const Sent& sent, EventId& list) {
    const EventId stub = stubs_.allocate();
    const int to = partition_.worker_of(sent.receiver);
    stubs_[stub] = {sent.key, sent.receiver, static_cast<std::uint32_t>(to), list};
    list = stub;
    send_to(to, sent, stub);
  }

  /// Cancels the events of the list. Call send_anti_messages() before the next send, as it may reuse their handles.
  void cancel(EventId list) {
    while (list != no_event) {
      const Stub& stub = stubs_[list];
      canceled_.push_back({stub.to, link_.lane(stub.receiver), stub.key, stub.receiver, list});
      stubs_.release(std::exchange(list, stub.next));
    }
  }

  /// Sends anti-messages for the canceled events, each for as many events of one receiver and lane as fit. Returns
  /// their number. Sends none after the end of the run, when no worker receives any more.
  std::uint64_t send_anti_messages() {
    if (canceled_.empty()) return 0;
    if (gvt_.finished()) canceled_.clear();
    std::sort(canceled_.begin(), canceled_.end());
    std::uint64_t anti_messages = 0;
    for (std::size_t i = 0; i < canceled_.size(); ++anti_messages) {
      const Canceled& first = canceled_[i++];
      Message<M> message = message_about(first.key, first.receiver, first.handle);
      message.make_anti_message();
      while (i < canceled_.size() && canceled_[i].shares_lane_with(first) &&
             message.canceled() < Message<M>::max_canceled) {
        message.cancel_also(canceled_[i++].handle);
      }
      link_.send(static_cast<int>(first.to), message);
    }
    canceled_.clear();
    return anti_messages;
  }

  /// Frees the stubs of the list: its events are irrevocable.
  void discard(EventId list) {
    while (list != no_event) stubs_.release(std::exchange(list, stubs_[list].next));
  }

  [[nodiscard]] std::size_t free_count() const noexcept { return stubs_.free_count(); }  ///< stubs
  [[nodiscard]] std::size_t in_use() const noexcept { return stubs_.in_use(); }          ///< stubs
  /// An event that may still be canceled counts here with its payload, wherever that is, so that the memory of the
  /// sender bounds what it can make others store.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept {
    return stubs_.in_use() * (EventPool<Stub>::bytes_per_record() + sizeof(Message<M>));
  }
  /// The maximum number of stubs and of loaned events so far.
  [[nodiscard]] std::size_t peak_in_use() const noexcept {
    return stubs_.peak_in_use() + (loaned_ == nullptr ? 0 : loaned_->peak_in_use());
  }
  [[nodiscard]] std::uint64_t shared() const noexcept { return shared_; }  ///< number of events sent without a copy

 private:
  struct Canceled {
    std::uint32_t to;
    std::size_t lane;
    Key key;
    LpId receiver;
    EventId handle;

    // By receiving worker and lane, so that events of one lane are adjacent; then by key, so that the first has the
    // least.
    friend bool operator<(const Canceled& a, const Canceled& b) noexcept {
      return std::tie(a.to, a.lane, a.key) < std::tie(b.to, b.lane, b.key);
    }
    [[nodiscard]] bool shares_lane_with(const Canceled& other) const noexcept {
      return to == other.to && lane == other.lane;
    }
  };

  void send_to(int to, const Sent& sent, EventId handle) {
    Message<M> message = message_about(sent.key, sent.receiver, handle);
    if (loaned_ == nullptr || !loan(sent, message)) message.payload = sent.event;
    link_.send(to, message);
  }

  [[nodiscard]] bool loan(const Sent& sent, Message<M>& message) {
    SharedEvent<typename M::Event>* const event = loaned_->loan(sent.event, sent.key.time, gvt_.value().time);
    if (event == nullptr) return false;
    put_address(message.payload, event);
    message.kind = MessageKind::shared_event;
    ++shared_;
    return true;
  }

  [[nodiscard]] Message<M> message_about(const Key& key, LpId receiver, EventId handle) noexcept {
    Message<M> message;
    message.key = key;
    message.receiver = receiver;
    message.handle = handle & Message<M>::no_handle;
    message.color = gvt_.sending(key) & 1U;
    message.kind = MessageKind::event;
    return message;
  }

  Link& link_;
  Gvt& gvt_;
  const Partition& partition_;
  EventPool<Stub> stubs_;
  LoanedEvents<typename M::Event>* loaned_;
  std::vector<Canceled> canceled_;  // since the last send_anti_messages()
  std::uint64_t shared_ = 0;
};

}  // namespace laxity::timewarp
