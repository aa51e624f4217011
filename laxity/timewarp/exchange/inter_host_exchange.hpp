// Events between workers of different nodes: many in one frame, since a frame is a message of the network.
//
// A frame is filled as messages are sent, and published when it is full or at flush(). What finds no frame waits here,
// in order.
//
// Threads: each worker has its own. Links come to life when all workers have met at Worker::barrier().
// Elsewhere: inside a node (ring_exchange.hpp, which hands over what goes farther), the links
// (laxity/transport/remote_links.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/launch/worker.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity::timewarp {

template <class M>
class InterHostExchange {
 public:
  /// Every worker of the team constructs one.
  explicit InterHostExchange(Worker& worker) : outlet_of_(static_cast<std::size_t>(worker.size()), none) {
    for (int other = 0; other < worker.size(); ++other) {
      if (worker.neighbor_kind(other) != NeighborKind::host) continue;
      outlet_of_[static_cast<std::size_t>(other)] = out_.size();
      out_.push_back({worker.remote_links()->sender(link(worker, other, worker.id(), other))});
      in_.push_back({other, worker.remote_links()->receiver(link(worker, other, other, worker.id()))});
    }
  }

  void send(int to, const Message<M>& message) {
    Outlet& outlet = out_[outlet_of_[static_cast<std::size_t>(to)]];
    if (outlet.kept.empty() && outlet.put(message)) return;
    outlet.kept.push_back(message);
    ++backlog_;
  }

  void flush() {
    for (Outlet& outlet : out_) {
      while (!outlet.kept.empty() && outlet.put(outlet.kept.front())) {
        outlet.kept.pop_front();
        --backlog_;
      }
      outlet.publish();
    }
  }

  /// Calls deliver(sender, message) at most `limit` times; says how often.
  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver&& deliver) {
    std::size_t received = 0;
    if (++served_first_ >= in_.size()) served_first_ = 0;
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const std::size_t turn = served_first_ + i;
      Inlet& inlet = in_[turn < in_.size() ? turn : turn - in_.size()];
      while (received < limit && inlet.has_message()) {
        deliver(static_cast<std::size_t>(inlet.from), inlet.take());
        ++received;
      }
    }
    return received;
  }

  [[nodiscard]] std::size_t backlog() const noexcept { return backlog_; }

 private:
  static constexpr std::size_t frame_bytes = std::max<std::size_t>(8192, sizeof(Message<M>));
  static constexpr std::size_t frames_under_way = 32;
  static constexpr std::size_t none = ~std::size_t{0};

  static RemoteLink link(const Worker& worker, int other, int from, int to) {
    return {.peer = worker.rank_of(other),
            .key = BlockKey("host_events", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)),
            .shape = {.depth = frames_under_way, .frame_capacity = frame_bytes}};
  }

  struct Outlet {
    AnySender sender;
    std::deque<Message<M>> kept{};
    std::byte* frame = nullptr;  // being filled
    std::size_t used = 0;

    [[nodiscard]] bool put(const Message<M>& message) {
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
    std::size_t read = 0;  // bytes of the frame shown that have been taken

    [[nodiscard]] bool has_message() {
      if (read != receiver.frame().size()) return true;
      if (receiver.try_step(1) == 0) return false;
      read = 0;
      return true;
    }
    [[nodiscard]] Message<M> take() {
      Message<M> message;
      std::memcpy(&message, receiver.frame().data() + read, sizeof message);
      read += sizeof message;
      return message;
    }
  };

  std::vector<std::size_t> outlet_of_;  // by worker
  std::vector<Outlet> out_;
  std::vector<Inlet> in_;
  std::size_t served_first_ = 0;
  std::size_t backlog_ = 0;
};

}  // namespace laxity::timewarp
