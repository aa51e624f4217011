// Events between virtual workers in one thread. A message arrives when the owner of the network decides.
//
// Invariants: messages between one pair of workers stay in order; between pairs any order is possible. A message may be
// in flight for any time. Messages are never refused, so there is no backlog.
//
// Threads: one. Elsewhere: the decisions (replay_schedule.hpp), rings between threads (ring_exchange.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

/// All messages that were sent and not yet received.
template <class M>
class ReplayedNetwork {
 public:
  explicit ReplayedNetwork(int workers)
      : workers_(static_cast<std::size_t>(workers)), in_flight_(workers_ * workers_), arrived_(workers_) {}

  /// Number of messages sent that have not arrived.
  [[nodiscard]] std::size_t in_flight(int from, int to) const noexcept { return in_flight_[pair(from, to)].size(); }

  /// Lets the first `count` messages in flight arrive, in order; all if there are fewer.
  void arrive(int from, int to, std::size_t count) {
    auto& messages = in_flight_[pair(from, to)];
    auto& inbox = arrived_[static_cast<std::size_t>(to)];
    for (; count > 0 && !messages.empty(); --count) {
      inbox.emplace_back(from, messages.front());
      messages.pop_front();
    }
  }

  /// The least instant of all messages sent and not received, anti-messages included; latest_key if there is none.
  [[nodiscard]] Key min_instant() const noexcept {
    Key least = latest_key;
    for_each_message([&](const Message<M>& message) { least = std::min(least, message.key.instant()); });
    return least;
  }

  /// Number of shared events sent and not received.
  [[nodiscard]] std::size_t shared() const noexcept {
    std::size_t count = 0;
    for_each_message([&](const Message<M>& message) { count += message.is_shared(); });
    return count;
  }

 private:
  template <class>
  friend class ReplayedExchange;

  template <class Visit>
  void for_each_message(Visit visit) const {
    for (const auto& messages : in_flight_) {
      for (const Message<M>& message : messages) visit(message);
    }
    for (const auto& inbox : arrived_) {
      for (const auto& [from, message] : inbox) visit(message);
    }
  }

  [[nodiscard]] std::size_t pair(int from, int to) const noexcept {
    return static_cast<std::size_t>(from) * workers_ + static_cast<std::size_t>(to);
  }

  std::size_t workers_;
  std::vector<std::deque<Message<M>>> in_flight_;                // by pair
  std::vector<std::deque<std::pair<int, Message<M>>>> arrived_;  // by receiver: sender and message
};

/// The end of one worker; an Exchange.
template <class M>
class ReplayedExchange {
 public:
  ReplayedExchange(ReplayedNetwork<M>& network, int self) noexcept : network_(&network), self_(self) {}

  [[nodiscard]] static std::size_t lane(LpId) noexcept { return 0; }
  void send(int to, const Message<M>& message) { network_->in_flight_[network_->pair(self_, to)].push_back(message); }
  void flush() noexcept {}

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    auto& inbox = network_->arrived_[static_cast<std::size_t>(self_)];
    std::size_t received = 0;
    for (; received < limit && !inbox.empty(); ++received) {
      const auto [from, message] = inbox.front();
      inbox.pop_front();
      deliver(static_cast<std::size_t>(from), message);
    }
    return received;
  }

  [[nodiscard]] std::size_t channels() const noexcept { return network_->workers_; }
  [[nodiscard]] std::size_t backlog() const noexcept { return 0; }

 private:
  ReplayedNetwork<M>* network_;
  int self_;
};

}  // namespace laxity::timewarp
