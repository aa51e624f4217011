// Events between threads and between processes: a ring for each ordered pair of workers of one host. Messages to other
// hosts are handed over (inter_host_exchange.hpp).
//
// A message is a frame, staged when it is sent and published by flush(), so that a batch costs few transfers of cache
// lines. A message that finds its ring full is kept and sent later, in order.
//
// Threads: each worker has its own; the rings lie in the arena that the team shares. Elsewhere: payloads that do not go
// through the ring (attach_exchange.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "laxity/launch/worker.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/inter_host_exchange.hpp"
#include "laxity/timewarp/exchange/round_robin.hpp"
#include "laxity/timewarp/exchange/unsent_messages.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity::timewarp {

template <class M>
class RingExchange {
 public:
  /// Every worker of the team constructs one with the same arguments. `depth`: the maximum number of messages in flight
  /// between two workers; of large messages, fewer (depth_for()). `bytes_to_processes`: the maximum size of a message to
  /// another process.
  RingExchange(Worker& worker, std::size_t depth, std::size_t bytes_to_processes = sizeof(Message<M>)) {
    const auto key = [](int from, int to) {
      return BlockKey("events", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    };
    for (int other = 0; other < worker.size(); ++other) {
      if (other == worker.id() || worker.neighbor_kind(other) == NeighborKind::host) {
        outlets_.emplace_back();
        continue;
      }
      const bool is_process = worker.neighbor_kind(other) == NeighborKind::process;
      const std::size_t bytes = is_process ? bytes_to_processes : sizeof(Message<M>);
      const RingShape shape{.depth = depth_for(depth, bytes), .frame_capacity = bytes};
      outlets_.emplace_back(
          std::make_unique<SpscRing::Sender>(shared_sender<SpscRing>(worker.arena(), key(worker.id(), other), shape)));
      inlets_.push_back({other, std::make_unique<SpscRing::Receiver>(
                                    shared_receiver<SpscRing>(worker.arena(), key(other, worker.id()), shape))});
    }
    if (worker.remote_links() != nullptr) inter_host_ = std::make_unique<InterHostExchange<M>>(worker);
  }

  /// The maximum number of bytes of arena that the rings of a whole team take.
  [[nodiscard]] static std::size_t arena_bytes(int workers, std::size_t depth) {
    const auto n = static_cast<std::size_t>(workers);
    const RingShape largest{.depth = depth_for(depth, sizeof(Message<M>)), .frame_capacity = sizeof(Message<M>)};
    return n * n * (SpscRing::bytes_needed(largest) + std::size_t{2} * 4096);
  }

  [[nodiscard]] static std::size_t lane(LpId) noexcept { return 0; }
  void send(int to, const Message<M>& message) {
    Outlet& outlet = outlets_[static_cast<std::size_t>(to)];
    if (outlet.sender == nullptr) [[unlikely]]
      return inter_host_->send(to, message);
    const bool was_sent =
        outlet.unsent.send_or_keep(message, [&](const Message<M>& unsent) { return outlet.try_send(unsent); });
    backlog_ += was_sent ? 0 : 1;
  }

  void flush() {
    for (Outlet& outlet : outlets_) {
      if (outlet.sender == nullptr) continue;
      backlog_ -= outlet.unsent.retry([&](const Message<M>& unsent) { return outlet.try_send(unsent); });
      outlet.sender->flush();
    }
    if (inter_host_ != nullptr) inter_host_->flush();
  }

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    std::size_t received = 0;
    order_.for_each(inlets_, [&](Inlet& inlet) {
      for (; received < limit && inlet.receiver->try_step(1) != 0; ++received) {
        const auto frame = inlet.receiver->frame();
        if constexpr (alignof(Message<M>) <= 8) {  // the alignment of frames
          deliver(static_cast<std::size_t>(inlet.from), *reinterpret_cast<const Message<M>*>(frame.data()));
        } else {
          Message<M> message;
          std::memcpy(&message, frame.data(), frame.size());
          deliver(static_cast<std::size_t>(inlet.from), message);
        }
      }
    });
    if (inter_host_ != nullptr) received += inter_host_->receive(limit - received, deliver);
    return received;
  }

  [[nodiscard]] std::size_t channels() const noexcept { return outlets_.size(); }  // one for each worker
  [[nodiscard]] std::size_t backlog() const noexcept {
    return backlog_ + (inter_host_ != nullptr ? inter_host_->backlog() : 0);
  }

 private:
  struct Outlet {
    std::unique_ptr<SpscRing::Sender> sender{};
    UnsentMessages<M> unsent{};

    [[nodiscard]] bool try_send(const Message<M>& message) noexcept {
      std::byte* frame = sender->try_claim();
      if (frame == nullptr) return false;
      const std::size_t bytes = message.bytes();
      if (bytes == sizeof message) {
        std::memcpy(frame, &message, sizeof message);  // faster, as the compiler knows the size
      } else {
        std::memcpy(frame, &message, bytes);
      }
      sender->stage(bytes);
      return true;
    }
  };
  struct Inlet {
    int from;
    std::unique_ptr<SpscRing::Receiver> receiver;
  };

  // A ring takes at most 4 MiB, unless its first eight messages take more.
  [[nodiscard]] static std::size_t depth_for(std::size_t depth, std::size_t bytes) noexcept {
    return std::min(depth, std::max<std::size_t>(8, (std::size_t{4} << 20) / bytes));
  }

  std::vector<Outlet> outlets_;  // by worker; without a sender for this worker and for those of other hosts
  std::vector<Inlet> inlets_;
  std::unique_ptr<InterHostExchange<M>> inter_host_;  // if there are other hosts
  RoundRobin order_;
  std::size_t backlog_ = 0;
};

}  // namespace laxity::timewarp
