// Events between threads and between processes: a ring for each ordered pair of workers of one node; what goes to other
// nodes is handed over (inter_host_exchange.hpp).
//
// A message is a frame, staged as it is sent and published by flush(), so that a batch costs few line transfers. What a
// full ring refuses waits here, in order.
//
// Threads: each worker has its own; the rings lie in the arena that the team shares. Elsewhere: payloads that do not go
// through the ring (attach_exchange.hpp).
#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "laxity/launch/worker.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/inter_host_exchange.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity::timewarp {

template <class M>
class RingExchange {
 public:
  /// Every worker of the team constructs one, with the same depth (messages on the way between two workers, at most) and
  /// the same bytes of a message to another process (at most).
  RingExchange(Worker& worker, std::size_t depth, std::size_t bytes_to_processes = sizeof(Message<M>)) {
    const auto key = [](int from, int to) {
      return BlockKey("events", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    };
    for (int other = 0; other < worker.size(); ++other) {
      if (other == worker.id() || worker.neighbor_kind(other) == NeighborKind::host) {
        out_.emplace_back();
        continue;
      }
      const bool is_process = worker.neighbor_kind(other) == NeighborKind::process;
      const RingShape shape{.depth = depth, .frame_capacity = is_process ? bytes_to_processes : sizeof(Message<M>)};
      out_.emplace_back(
          std::make_unique<SpscRing::Sender>(shared_sender<SpscRing>(worker.arena(), key(worker.id(), other), shape)));
      in_.push_back({other, std::make_unique<SpscRing::Receiver>(
                                shared_receiver<SpscRing>(worker.arena(), key(other, worker.id()), shape))});
    }
    if (worker.remote_links() != nullptr) far_ = std::make_unique<InterHostExchange<M>>(worker);
  }

  /// Bytes of arena that the rings of a whole team take, at most.
  [[nodiscard]] static std::size_t arena_bytes(int workers, std::size_t depth) {
    const auto n = static_cast<std::size_t>(workers);
    return n * n *
           (SpscRing::bytes_needed({.depth = depth, .frame_capacity = sizeof(Message<M>)}) + std::size_t{2} * 4096);
  }

  [[nodiscard]] static std::size_t lane(LpId) noexcept { return 0; }
  void send(int to, const Message<M>& message) {
    Outlet& outlet = out_[static_cast<std::size_t>(to)];
    if (outlet.sender == nullptr) [[unlikely]]
      return far_->send(to, message);
    if (outlet.kept.empty() && outlet.try_send(message)) return;
    outlet.kept.push_back(message);
    ++backlog_;
  }

  void flush() {
    for (Outlet& outlet : out_) {
      if (outlet.sender == nullptr) continue;
      while (!outlet.kept.empty() && outlet.try_send(outlet.kept.front())) {
        outlet.kept.pop_front();
        --backlog_;
      }
      outlet.sender->flush();
    }
    if (far_ != nullptr) far_->flush();
  }

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    std::size_t received = 0;
    if (++served_first_ >= in_.size()) served_first_ = 0;  // so that no sender is always the last
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const std::size_t turn = served_first_ + i;
      Inlet& inlet = in_[turn < in_.size() ? turn : turn - in_.size()];
      while (received < limit && inlet.receiver->try_step(1) != 0) {
        const auto frame = inlet.receiver->frame();
        if constexpr (alignof(Message<M>) <= 8) {  // as frames are
          deliver(static_cast<std::size_t>(inlet.from), *reinterpret_cast<const Message<M>*>(frame.data()));
        } else {
          Message<M> message;
          std::memcpy(&message, frame.data(), frame.size());
          deliver(static_cast<std::size_t>(inlet.from), message);
        }
        ++received;
      }
    }
    if (far_ != nullptr) received += far_->receive(limit - received, deliver);
    return received;
  }

  [[nodiscard]] std::size_t channels() const noexcept { return out_.size(); }  // one for each sender
  [[nodiscard]] std::size_t backlog() const noexcept { return backlog_ + (far_ != nullptr ? far_->backlog() : 0); }

 private:
  struct Outlet {
    std::unique_ptr<SpscRing::Sender> sender{};
    std::deque<Message<M>> kept{};

    [[nodiscard]] bool try_send(const Message<M>& message) noexcept {
      std::byte* room = sender->try_claim();
      if (room == nullptr) return false;
      const std::size_t bytes = message.bytes();
      if (bytes == sizeof message) {
        std::memcpy(room, &message, sizeof message);  // of a size that the compiler knows
      } else {
        std::memcpy(room, &message, bytes);
      }
      sender->stage(bytes);
      return true;
    }
  };
  struct Inlet {
    int from;
    std::unique_ptr<SpscRing::Receiver> receiver;
  };

  std::vector<Outlet> out_;  // by worker; the own one and those of other nodes have no sender
  std::vector<Inlet> in_;
  std::unique_ptr<InterHostExchange<M>> far_;  // if there are other nodes
  std::size_t served_first_ = 0;
  std::size_t backlog_ = 0;
};

}  // namespace laxity::timewarp
