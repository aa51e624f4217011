// What a worker of the optimistic engine sends to others, and the stubs by which it takes that back.
//
// A stub stays here for every event that went away, until the event that sent it is final or taken back; its number is
// the handle by which the other side knows the event. The stubs of what one event sent form a list.
//
// Threads: one. Elsewhere: delivery (exchange.hpp), the other side (received_events.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/loaned_events.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/history.hpp"

namespace laxity::timewarp {

template <Model M, Exchange<M> Link>
class OutputQueue {
 public:
  using Sent = typename Context<M>::Sent;

  /// Room for so many stubs; `lent` takes what is shared, nothing is if it is null. All that is referred to must outlive
  /// this. Throws SystemError.
  OutputQueue(Link& link, Gvt& gvt, const Partition& partition, std::size_t max_stubs, MemoryPlacement placement,
              LoanedEvents<typename M::Event>* loaned)
      : link_(link), gvt_(gvt), partition_(partition), stubs_(max_stubs, placement), loaned_(loaned) {}

  /// Sends what can never be taken back.
  void send_irrevocable(const Sent& sent) { post(partition_.worker_of(sent.receiver), sent, Message<M>::no_handle); }

  /// Sends an event, for which there must be room, and puts its stub before the others of the list.
  void send(const Sent& sent, EventId& list) {
    const EventId stub = stubs_.allocate();
    const int to = partition_.worker_of(sent.receiver);
    stubs_[stub] = {sent.key, sent.receiver, static_cast<std::uint32_t>(to), list};
    list = stub;
    post(to, sent, stub);
  }

  /// Takes back the events of the list. Before anything else is sent, send_anti_messages() has to tell the others.
  void cancel(EventId list) {
    while (list != no_event) {
      const Stub& stub = stubs_[list];
      canceled_.push_back({stub.to, link_.lane(stub.receiver), stub.key, stub.receiver, list});
      stubs_.release(std::exchange(list, stub.next));
    }
  }

  /// Sends anti-messages for all that was canceled, one for as many events as take one way; says how many. After the
  /// end of the run nobody listens any more.
  std::uint64_t send_anti_messages() {
    if (canceled_.empty()) return 0;
    if (gvt_.finished()) canceled_.clear();
    std::sort(canceled_.begin(), canceled_.end());
    std::uint64_t anti_messages = 0;
    for (std::size_t i = 0; i < canceled_.size(); ++anti_messages) {
      const Canceled& first = canceled_[i++];
      Message<M> message = message_about(first.key, first.receiver, first.handle);
      message.make_anti_message();
      while (i < canceled_.size() && canceled_[i].takes_the_way_of(first) &&
             message.canceled() < Message<M>::max_canceled) {
        message.cancel_also(canceled_[i++].handle);
      }
      link_.send(static_cast<int>(first.to), message);
    }
    canceled_.clear();
    return anti_messages;
  }

  /// The events of the list stay.
  void discard(EventId list) {
    while (list != no_event) stubs_.release(std::exchange(list, stubs_[list].next));
  }

  [[nodiscard]] std::size_t free_count() const noexcept { return stubs_.free_count(); }
  [[nodiscard]] std::size_t in_use() const noexcept { return stubs_.in_use(); }
  [[nodiscard]] std::size_t peak_in_use() const noexcept {
    return stubs_.peak_in_use() + (loaned_ == nullptr ? 0 : loaned_->peak_in_use());
  }
  [[nodiscard]] std::uint64_t shared() const noexcept { return shared_; }  ///< events sent that were not copied

 private:
  struct Canceled {
    std::uint32_t to;
    std::size_t lane;
    Key key;
    LpId receiver;
    EventId handle;

    // By their ways, so that those of one meet; by their keys there, so that the first is the least.
    friend bool operator<(const Canceled& a, const Canceled& b) noexcept {
      return std::tie(a.to, a.lane, a.key) < std::tie(b.to, b.lane, b.key);
    }
    [[nodiscard]] bool takes_the_way_of(const Canceled& other) const noexcept {
      return to == other.to && lane == other.lane;
    }
  };

  void post(int to, const Sent& sent, EventId handle) {
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
  std::vector<Canceled> canceled_;  // and not yet posted
  std::uint64_t shared_ = 0;
};

}  // namespace laxity::timewarp
