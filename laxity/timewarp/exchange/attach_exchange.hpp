// Events between processes whose payloads the receiver reads from the sender's memory (cross memory attach). All other
// parts of a message, and the address of the payload, go through a ring.
//
// A payload is copied as often as through a ring, but the memory that both processes share stays small, whatever the
// size of an event. Reading costs one system call for all messages received from a sender; adjacent payloads are read
// as one piece.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018).
// Invariant: a receiver reads the payloads of a sender in the order in which they were sent, so that the number of
// payloads read says which were read. An exchange must not be destroyed while other workers receive.
// Threads: each worker has its own. Elsewhere: the ring, and messages to threads and to other hosts
// (ring_exchange.hpp); the system call (process_memory.hpp).
#pragma once

#include <sys/uio.h>
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
#include "laxity/timewarp/key.hpp"
#include "laxity/transport/process_memory.hpp"

namespace laxity::timewarp {

/// Payloads that keep their addresses until they are read, oldest first, in blocks of adjacent payloads.
template <class Event>
class StablePayloadBuffer {
 public:
  /// Returns the address of the copy.
  [[nodiscard]] const Event* add(const Event& event) {
    const std::size_t place = added_++ % block_size;
    if (place == 0) blocks_.push_back(spare_ != nullptr ? std::move(spare_) : std::make_unique<Event[]>(block_size));
    return &(blocks_.back()[place] = event);
  }
  /// Frees blocks of the first `read` payloads of all that were ever added.
  void free_read(std::uint64_t read) {
    for (; freed_ + block_size <= read; freed_ += block_size) {
      spare_ = std::move(blocks_.front());
      blocks_.pop_front();
    }
  }

 private:
  static constexpr std::size_t block_size = std::max<std::size_t>(1, 65536 / sizeof(Event));

  std::deque<std::unique_ptr<Event[]>> blocks_;
  std::unique_ptr<Event[]> spare_;  // the block that was freed last
  std::uint64_t added_ = 0;
  std::uint64_t freed_ = 0;
};

template <class M>
class AttachExchange {
 public:
  using Event = typename M::Event;
  static_assert(is_shareable<Event>, "a message must have room for the address of the payload in its place");

  /// Every worker of the team constructs one with the same depth; see RingExchange.
  AttachExchange(Worker& worker, std::size_t depth)
      : rings_(worker, depth, bytes_without_payload), peers_(static_cast<std::size_t>(worker.size())) {
    allow_siblings_to_read();
    const auto link = [&](int from, int to) {
      const BlockKey key("attached", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
      return &worker.arena().object<Link>(key);
    };
    for (int other = 0; other < worker.size(); ++other) {
      if (worker.neighbor_kind(other) != NeighborKind::process) continue;
      Peer& peer = peers_[static_cast<std::size_t>(other)];
      peer.out = link(worker.id(), other);
      peer.out->sender.store(getpid(), std::memory_order_relaxed);  // visible to whoever receives a message
      peer.in = link(other, worker.id());
    }
  }

  [[nodiscard]] static std::size_t lane(LpId) noexcept { return 0; }
  void send(int to, const Message<M>& message) {
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    if (message.is_anti_message() || peer.out == nullptr) return rings_.send(to, message);
    peer.unread.free_read(peer.out->read.load(std::memory_order_acquire));  // R1, pairs with R2
    Message<M> sent;
    std::memcpy(static_cast<void*>(&sent), &message, offsetof(Message<M>, payload));
    const void* const address = peer.unread.add(message.payload);
    std::memcpy(static_cast<void*>(&sent.payload), &address, sizeof(void*));
    sent.kind = MessageKind::shared_event;
    rings_.send(to, sent);
  }

  void flush() { rings_.flush(); }

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    if (is_over_) return 0;
    std::size_t received = 0;
    rings_.receive(std::min(limit, received_.size()), [&](std::size_t channel, const Message<M>& message) {
      Received& copy = received_[received++];
      copy.channel = channel;
      std::memcpy(static_cast<void*>(&copy.message), &message, message.bytes());
    });
    for (std::size_t first = 0, end = 0; first < received; first = end) {
      const std::size_t channel = received_[first].channel;
      while (end < received && received_[end].channel == channel) ++end;
      if (!read_payloads(peers_[channel], {received_.data() + first, end - first})) {
        is_over_ = true;
        return 0;
      }
    }
    for (std::size_t i = 0; i < received; ++i) deliver(received_[i].channel, received_[i].message);
    return received;
  }

  [[nodiscard]] std::size_t channels() const noexcept { return rings_.channels(); }
  [[nodiscard]] std::size_t backlog() const noexcept { return rings_.backlog(); }

 private:
  // The state of an ordered pair of workers, in memory that they share.
  struct alignas(64) Link {
    std::atomic<std::int64_t> sender{0};  // process id
    std::atomic<std::uint64_t> read{0};   // number of payloads that the receiver has read
  };
  // Another worker. The links are nullptr unless it is in another process of this host.
  struct Peer {
    Link* out = nullptr;
    Link* in = nullptr;
    StablePayloadBuffer<Event> unread{};
  };
  struct Received {
    std::size_t channel;
    Message<M> message;
  };

  // Reads the payloads of messages from one worker. False: its process has ended, and with it the run.
  [[nodiscard]] bool read_payloads(const Peer& peer, std::span<Received> messages) {
    into_.clear();
    from_.clear();
    for (Received& received : messages) {
      if (!received.message.is_shared() || peer.in == nullptr) continue;
      received.message.kind = MessageKind::event;
      std::byte* payload = nullptr;  // in the sender's memory
      std::memcpy(&payload, &received.message.payload, sizeof payload);
      into_.push_back({&received.message.payload, sizeof(Event)});
      const bool is_adjacent =
          !from_.empty() && static_cast<std::byte*>(from_.back().iov_base) + from_.back().iov_len == payload;
      if (is_adjacent) {
        from_.back().iov_len += sizeof(Event);
      } else {
        from_.push_back({payload, sizeof(Event)});
      }
    }
    if (into_.empty()) return true;
    if (!read_process_memory(static_cast<pid_t>(peer.in->sender.load(std::memory_order_relaxed)), into_, from_))
      return false;
    const std::uint64_t read = peer.in->read.load(std::memory_order_relaxed) + into_.size();
    peer.in->read.store(read, std::memory_order_release);  // R2: the payloads were read; pairs with R1
    return true;
  }

  // An address, or the handles in an anti-message.
  static constexpr std::size_t bytes_without_payload =
      offsetof(Message<M>, payload) + std::max(sizeof(void*), Message<M>::max_canceled * sizeof(std::uint32_t));
  static constexpr std::size_t max_messages = 256;  // received at once; the system call takes at most 1024 pieces

  RingExchange<M> rings_;
  std::vector<Peer> peers_;  // by worker
  std::vector<Received> received_{max_messages};
  bool is_over_ = false;  // a sender has died. Messages were dropped, so later ones, which may cancel these, are too.
  std::vector<iovec> into_, from_;
};

}  // namespace laxity::timewarp
