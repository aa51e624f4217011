// Events between workers that live in one thread. Nothing arrives by itself: whoever owns the network says when.
//
// Messages of one pair of workers stay in order; between pairs any order is possible, and a message may be under way for
// as long as the owner likes. Nothing is ever refused, so there is no backlog.
//
// Threads: one. Elsewhere: who decides what arrives (replay_schedule.hpp), real rings (ring_exchange.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"

namespace laxity::timewarp {

/// All messages that were sent and not received.
template <class M>
class ReplayedNetwork {
 public:
  explicit ReplayedNetwork(int workers)
      : workers_(static_cast<std::size_t>(workers)), under_way_(workers_ * workers_), arrived_(workers_) {}

  /// Messages sent that have not arrived.
  [[nodiscard]] std::size_t under_way(int from, int to) const noexcept { return under_way_[pair(from, to)].size(); }

  /// Lets the first `count` messages under way arrive, in order; fewer if there are fewer.
  void arrive(int from, int to, std::size_t count) {
    auto& messages = under_way_[pair(from, to)];
    auto& inbox = arrived_[static_cast<std::size_t>(to)];
    for (; count > 0 && !messages.empty(); --count) {
      inbox.emplace_back(from, messages.front());
      messages.pop_front();
    }
  }

  /// The least instant of all that was sent and not received, anti-messages included; latest_key if there is none.
  [[nodiscard]] Key least_instant() const noexcept {
    Key least = latest_key;
    for (const auto& messages : under_way_) {
      for (const Message<M>& message : messages) least = std::min(least, message.key.instant());
    }
    for (const auto& inbox : arrived_) {
      for (const auto& [from, message] : inbox) least = std::min(least, message.key.instant());
    }
    return least;
  }

  /// Shared events that were sent and not received.
  [[nodiscard]] std::size_t shared() const noexcept {
    std::size_t count = 0;
    for (const auto& messages : under_way_) {
      for (const Message<M>& message : messages) count += message.is_shared();
    }
    for (const auto& inbox : arrived_) {
      for (const auto& [from, message] : inbox) count += message.is_shared();
    }
    return count;
  }

 private:
  template <class>
  friend class ReplayedExchange;

  [[nodiscard]] std::size_t pair(int from, int to) const noexcept {
    return static_cast<std::size_t>(from) * workers_ + static_cast<std::size_t>(to);
  }

  std::size_t workers_;
  std::vector<std::deque<Message<M>>> under_way_;                // by pair
  std::vector<std::deque<std::pair<int, Message<M>>>> arrived_;  // by receiver: sender and message
};

/// One worker's end; an Exchange.
template <class M>
class ReplayedExchange {
 public:
  ReplayedExchange(ReplayedNetwork<M>& network, int self) noexcept : network_(&network), self_(self) {}

  [[nodiscard]] static std::size_t lane(LpId) noexcept { return 0; }
  void send(int to, const Message<M>& message) { network_->under_way_[network_->pair(self_, to)].push_back(message); }
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
