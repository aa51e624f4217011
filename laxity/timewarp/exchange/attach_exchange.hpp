// Events between processes whose payloads the receiver reads out of the sender's memory (cross memory attach). The rest
// of a message, with the address of the payload in its place, goes through a ring as ever.
//
// A payload is copied once between the processes and once at either end, as through a ring, but the memory that both
// share stays small, whatever the size of an event. Reading costs a system call: one for all that has come from a sender,
// and what lies side by side there is read as one piece.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018).
// Invariant: the payloads for a worker are read in the order in which they were sent, so that their number says which are
// read. Whoever destroys its end has to know that the others do not receive any more.
// Threads: each worker has its own. Elsewhere: what all goes through, also from thread to thread and to other nodes
// (ring_exchange.hpp); the system call (process_memory.hpp).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "laxity/launch/worker.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/ring_exchange.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/transport/process_memory.hpp"

namespace laxity::timewarp {

/// Payloads that lie still until they are read, oldest first, a piece of them side by side.
template <class Event>
class StablePayloadBuffer {
 public:
  /// Where it lies.
  [[nodiscard]] const Event* add(const Event& event) {
    const std::size_t place = added_++ % each;
    if (place == 0) pieces_.push_back(spare_ != nullptr ? std::move(spare_) : std::make_unique<Event[]>(each));
    return &(pieces_.back()[place] = event);
  }
  /// The first so many of all that were ever added may go.
  void drop_until(std::uint64_t read) {
    for (; dropped_ + each <= read; dropped_ += each) {
      spare_ = std::move(pieces_.front());
      pieces_.pop_front();
    }
  }

 private:
  static constexpr std::size_t each = std::max<std::size_t>(1, 65536 / sizeof(Event));

  std::deque<std::unique_ptr<Event[]>> pieces_;
  std::unique_ptr<Event[]> spare_;
  std::uint64_t added_ = 0;
  std::uint64_t dropped_ = 0;
};

template <class M>
class AttachExchange {
 public:
  using Event = typename M::Event;
  static_assert(is_shareable<Event>, "a message has room for the address where the payload would be");

  /// As of a RingExchange.
  AttachExchange(Worker& worker, std::size_t depth)
      : rings_(worker, depth, bytes_without_payload), peers_(static_cast<std::size_t>(worker.size())) {
    allow_siblings_to_read();
    const auto desk = [&](int from, int to) {
      const BlockKey key("attached", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
      return &worker.arena().object<Desk>(key);
    };
    for (int other = 0; other < worker.size(); ++other) {
      if (worker.neighbor_kind(other) != NeighborKind::process) continue;
      Peer& peer = peers_[static_cast<std::size_t>(other)];
      peer.out = desk(worker.id(), other);
      peer.out->sender.store(getpid(), std::memory_order_relaxed);  // seen by whoever sees a message
      peer.in = desk(other, worker.id());
    }
  }

  [[nodiscard]] static std::size_t lane(LpId) noexcept { return 0; }
  void send(int to, const Message<M>& message) {
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    if (message.cancels() || peer.out == nullptr) return rings_.send(to, message);
    peer.lying.drop_until(peer.out->read.load(std::memory_order_acquire));  // R1, pairs with R2
    Message<M> sent;
    std::memcpy(static_cast<void*>(&sent), &message, offsetof(Message<M>, payload));
    const void* const address = peer.lying.add(message.payload);
    std::memcpy(static_cast<void*>(&sent.payload), &address, sizeof(void*));
    sent.kind = MessageKind::shared_event;
    rings_.send(to, sent);
  }

  void flush() { rings_.flush(); }

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    std::size_t received = 0;
    rings_.receive(std::min(limit, letters_.size()), [&](std::size_t channel, const Message<M>& message) {
      Letter& letter = letters_[received++];
      letter.channel = channel;
      std::memcpy(static_cast<void*>(&letter.message), &message, message.bytes());
    });
    for (std::size_t first = 0, end = 0; first < received; first = end) {
      const std::size_t channel = letters_[first].channel;
      while (end < received && letters_[end].channel == channel) ++end;
      if (!fetch(peers_[channel], {letters_.data() + first, end - first})) return 0;
    }
    for (std::size_t i = 0; i < received; ++i) deliver(letters_[i].channel, letters_[i].message);
    return received;
  }

  [[nodiscard]] std::size_t channels() const noexcept { return rings_.channels(); }
  [[nodiscard]] std::size_t backlog() const noexcept { return rings_.backlog(); }

 private:
  // Of an ordered pair of workers; in memory that they share.
  struct alignas(64) Desk {
    std::atomic<std::int64_t> sender{0};  // its process
    std::atomic<std::uint64_t> read{0};   // payloads, by the receiver
  };
  // A worker of another process; the others have no desks.
  struct Peer {
    Desk* out = nullptr;
    Desk* in = nullptr;
    StablePayloadBuffer<Event> lying{};
  };
  struct Letter {
    std::size_t channel;
    Message<M> message;
  };

  // Reads the payloads of what came from one worker. False: its process is gone; what it sent is of no use, as the run
  // ends without it.
  [[nodiscard]] bool fetch(const Peer& peer, std::span<Letter> letters) {
    into_.clear();
    from_.clear();
    for (Letter& letter : letters) {
      if (!letter.message.is_shared() || peer.in == nullptr) continue;
      letter.message.kind = MessageKind::event;
      std::byte* there = nullptr;
      std::memcpy(&there, &letter.message.payload, sizeof there);
      into_.push_back({&letter.message.payload, sizeof(Event)});
      const bool is_next =
          !from_.empty() && static_cast<std::byte*>(from_.back().iov_base) + from_.back().iov_len == there;
      if (is_next) {
        from_.back().iov_len += sizeof(Event);
      } else {
        from_.push_back({there, sizeof(Event)});
      }
    }
    if (into_.empty()) return true;
    if (!read_process_memory(static_cast<pid_t>(peer.in->sender.load(std::memory_order_relaxed)), into_, from_))
      return false;
    const std::uint64_t read = peer.in->read.load(std::memory_order_relaxed) + into_.size();
    peer.in->read.store(read, std::memory_order_release);  // R2: they are read
    return true;
  }

  // An address, or what an anti-message cancels.
  static constexpr std::size_t bytes_without_payload =
      offsetof(Message<M>, payload) + std::max(sizeof(void*), Message<M>::max_canceled * sizeof(std::uint32_t));
  static constexpr std::size_t max_pieces = 256;  // pieces of memory; the system takes 1024 a call

  RingExchange<M> rings_;
  std::vector<Peer> peers_;  // by worker
  std::vector<Letter> letters_{max_pieces};
  std::vector<iovec> into_, from_;
};

}  // namespace laxity::timewarp
