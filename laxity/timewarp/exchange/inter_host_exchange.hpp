// Events between workers of different hosts: many messages in one frame, since a frame is a message of the network.
//
// A frame is filled as messages are sent, and published when it is full or by flush(). A message that finds no frame is
// kept and sent later, in order.
//
// Threads: each worker has its own. The links are established when all workers have reached Worker::barrier().
// Elsewhere: events within a host (ring_exchange.hpp, which hands over the others), the links
// (laxity/transport/remote_links.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "laxity/launch/worker.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/round_robin.hpp"
#include "laxity/timewarp/exchange/unsent_messages.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity::timewarp {

template <class M>
class InterHostExchange {
 public:
  /// Every worker of the team constructs one.
  explicit InterHostExchange(Worker& worker) : outlet_of_(static_cast<std::size_t>(worker.size()), none) {
    for (int other = 0; other < worker.size(); ++other) {
      if (worker.neighbor_kind(other) != NeighborKind::host) continue;
      outlet_of_[static_cast<std::size_t>(other)] = outlets_.size();
      outlets_.push_back({worker.remote_links()->sender(link(worker, other, worker.id(), other))});
      inlets_.push_back({other, worker.remote_links()->receiver(link(worker, other, other, worker.id()))});
    }
  }

  void send(int to, const Message<M>& message) {
    Outlet& outlet = outlets_[outlet_of_[static_cast<std::size_t>(to)]];
    const bool was_sent =
        outlet.unsent.send_or_keep(message, [&](const Message<M>& unsent) { return outlet.try_send(unsent); });
    backlog_ += was_sent ? 0 : 1;
  }

  void flush() {
    for (Outlet& outlet : outlets_) {
      backlog_ -= outlet.unsent.retry([&](const Message<M>& unsent) { return outlet.try_send(unsent); });
      outlet.publish();
    }
  }

  /// Calls deliver(sender, message) at most `limit` times; returns the number of calls.
  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver&& deliver) {
    std::size_t received = 0;
    order_.for_each(inlets_, [&](Inlet& inlet) {
      for (; received < limit && inlet.has_message(); ++received) {
        deliver(static_cast<std::size_t>(inlet.from), inlet.next_message());
      }
    });
    return received;
  }

  [[nodiscard]] std::size_t backlog() const noexcept { return backlog_; }

 private:
  static constexpr std::size_t frame_bytes = std::max<std::size_t>(8192, sizeof(Message<M>));
  static constexpr std::size_t frames_in_flight = 32;
  static constexpr std::size_t none = ~std::size_t{0};

  static RemoteLink link(const Worker& worker, int other, int from, int to) {
    return {.peer = worker.rank_of(other),
            .key = BlockKey("host_events", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)),
            .shape = {.depth = frames_in_flight, .frame_capacity = frame_bytes}};
  }

  struct Outlet {
    AnySender sender;
    UnsentMessages<M> unsent{};
    std::byte* frame = nullptr;  // the frame being filled
    std::size_t used = 0;        // bytes of the frame

    [[nodiscard]] bool try_send(const Message<M>& message) {
      if (frame == nullptr) frame = sender.try_claim();
      if (frame == nullptr) return false;
      std::memcpy(frame + used, &message, sizeof message);
      used += sizeof message;
      if (used + sizeof message > frame_bytes) publish();
      return true;
    }
    void publish() {
      if (frame == nullptr) return;
      sender.publish(used);
      frame = nullptr;
      used = 0;
    }
  };

  struct Inlet {
    int from;
    AnyReceiver receiver;
    std::size_t read = 0;  // bytes of the current frame that were read

    [[nodiscard]] bool has_message() {
      if (read != receiver.frame().size()) return true;
      if (receiver.try_step(1) == 0) return false;
      read = 0;
      return true;
    }
    [[nodiscard]] Message<M> next_message() {
      Message<M> message;
      std::memcpy(&message, receiver.frame().data() + read, sizeof message);
      read += sizeof message;
      return message;
    }
  };

  std::vector<std::size_t> outlet_of_;  // by worker
  std::vector<Outlet> outlets_;
  std::vector<Inlet> inlets_;
  RoundRobin order_;
  std::size_t backlog_ = 0;
};

}  // namespace laxity::timewarp
