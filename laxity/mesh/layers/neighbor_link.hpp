// The link to and from one neighboring worker, as the layers of a mesh use it.
//
// A layer is pulled and flushed as a whole: a put becomes visible at the reader's first pull after it, inside a worker
// just as between workers. So an update does not depend on the order in which nodes are visited.
// Source of touch counts: Moreno et al., Best-effort communication improves performance and scales robustly on
//   conventional hardware, II-D.
// Threads: one worker.
// Elsewhere: where links come from (mesh/connector.hpp), the layers (state_layer.hpp and the other *_layer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_counts.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/connector.hpp"
#include "laxity/mesh/layers/layer_options.hpp"
#include "laxity/mesh/local_nodes.hpp"
#include "laxity/mesh/migration/archive.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/reactions/link_tuning.hpp"
#include "laxity/mesh/topology.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/payload_type.hpp"

namespace laxity {

/// One direction of a link.
struct LinkDirection {
  std::uint32_t channels = 0;   ///< that share it; 0: there is no link in this direction
  std::size_t frame_bytes = 0;  ///< largest frame
  std::size_t send_depth = 0;   ///< frames in flight
  std::uint32_t channel = 0;    ///< distinguishes several links of one layer between the same two workers
};

/// What a layer is built from.
struct LayerSetup {
  const Topology& topology;
  const Partition& partition;
  const LocalNodes& local_nodes;
  Connector& connector;
  std::uint32_t layer;  ///< its number
  LayerOptions options;
  PayloadType type{};  ///< of the layer

  /// A direction of the one link that a packed layer has to each neighbor. Throws UsageError if the layer is to have a
  /// depth for every channel.
  [[nodiscard]] LinkDirection packed(std::uint32_t channels, std::size_t frame_bytes) const {
    if (options.channel_depth != nullptr)
      throw UsageError("a depth for every channel needs PlainLayer: the channels of other layers share their frames");
    return {.channels = channels, .frame_bytes = frame_bytes, .send_depth = options.send_depth};
  }
};

/// Both directions of a link, and its counters.
class NeighborLink {
 public:
  NeighborLink(const LayerSetup& setup, std::uint32_t neighbor, const LinkDirection& send, const LinkDirection& receive)
      : worker_(neighbor), send_(send.channels), receive_(receive.channels) {
    const std::uint32_t me = setup.local_nodes.worker();
    const LayerOptions& options = setup.options;
    if (!options.reactions.empty() && me != neighbor) {
      tuning_ = std::make_unique<LinkTuning>();
      tuning_->limit = tuning_->depth = send.send_depth + options.receive_depth;
    }
    const std::size_t* const limit = tuning_ && has_limits(options) ? &tuning_->limit : nullptr;
    const auto spec = [&](std::uint32_t from, std::uint32_t to, const LinkDirection& direction) {
      return LinkSpec{{setup.layer, from, to, direction.channel},
                      direction.channels,
                      direction.send_depth + options.receive_depth,
                      direction.frame_bytes,
                      options.overflow,
                      direction.send_depth,
                      limit,
                      setup.type};
    };
    if (send_ != 0) {
      const LinkSpec out = spec(me, neighbor, send);
      inlet_ = &setup.connector.inlet_counters(out);
      if (me != neighbor) sender_ = setup.connector.sender(out);
    }
    if (receive_ != 0) {
      const LinkSpec in = spec(neighbor, me, receive);
      outlet_ = &setup.connector.outlet_counters(in);
      if (me != neighbor) receiver_ = setup.connector.receiver(in);
    }
  }

  /// All edges inside the worker together: counters without a transport.
  [[nodiscard]] static NeighborLink inside_worker(const LayerSetup& setup, bool has_edges = true) {
    return {setup, setup.local_nodes.worker(), {.channels = has_edges}, {.channels = has_edges}};
  }

  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  [[nodiscard]] bool sends() const noexcept { return send_ != 0; }
  /// Whether this flush sends a frame. Called once per flush.
  [[nodiscard]] bool is_due() noexcept { return sends() && (tuning_ == nullptr || tuning_->count_flush()); }
  [[nodiscard]] bool receives() const noexcept { return receive_ != 0; }
  [[nodiscard]] std::uint32_t send_channels() const noexcept { return send_; }
  [[nodiscard]] std::uint32_t receive_channels() const noexcept { return receive_; }

  /// The ends of the transport. A packing takes them over when it is built.
  [[nodiscard]] AnySender& sender() noexcept { return sender_; }
  [[nodiscard]] AnyReceiver& receiver() noexcept { return receiver_; }

  /// Low bits of the touch count that the next frame carries; whole_count() restores the rest.
  [[nodiscard]] std::uint32_t touch() const noexcept { return static_cast<std::uint32_t>(touch_); }

  /// The parameters that reactions adapt; null if the layer has no reactions.
  [[nodiscard]] LinkTuning* tuning() noexcept { return tuning_.get(); }

  /// Sends a frame whose payload write(memory) fills, `bytes` bytes of it. False: refused. Counts the attempt.
  template <class Write>
  bool try_send(std::size_t bytes, Write&& write) {
    std::byte* const frame = sender_.try_claim();
    count_flush(frame != nullptr);
    if (frame == nullptr) return false;
    messages_ += send_;
    const PackHeader header{touch(), messages_};
    std::memcpy(frame, &header, sizeof header);
    write(frame + sizeof header);
    sender_.publish(sizeof header + bytes);
    return true;
  }

  /// Jumps to the newest frame and passes its payload to read(bytes). False: none has arrived. Counts the pull. Throws
  /// DamagedFrame.
  template <class Read>
  bool jump(Read&& read) {
    const std::size_t moved = receiver_.jump();
    if (moved == 0) {
      count_pull(0, 0, 0);
      return false;
    }
    const std::span<const std::byte> frame = receiver_.frame();
    PackHeader header;
    if (frame.size() < sizeof header) [[unlikely]]
      detail::fail_frame_bytes(frame.size(), sizeof header);
    std::memcpy(&header, frame.data(), sizeof header);
    read(frame.subspan(sizeof header));
    count_pull(moved, header.touch, receiver_.superseded());
    return true;
  }

  /// Counts one attempt to send a frame.
  void count_flush(bool accepted) noexcept {
    inlet_->attempted.add();
    if (!accepted) inlet_->refused.add();
  }
  void count_unchanged() noexcept {
    inlet_->attempted.add();
    inlet_->unchanged.add();
  }

  /// Sets the counters of the sending end to the puts of all its channels.
  void count_puts(const InletObservation& puts) noexcept {
    inlet_->attempted.set(puts.attempted);
    inlet_->refused.set(puts.refused);
    inlet_->superseded.set(puts.superseded);
  }
  /// Counts one pull of each channel.
  void count_pull(const PackArrivals& arrivals) noexcept {
    const std::size_t laden = arrivals.laden_channels();
    outlet_->empty.add(receive_ - laden);
    if (laden == 0) return;
    outlet_->laden.add(laden);
    outlet_->passed_over.set(arrivals.received() - outlet_->laden.read());
    outlet_->superseded.set(arrivals.superseded());
    count_touch(arrivals.touch());
  }

  /// Counts one pull that moved `frames` frames, the last of which carried the touch count `carried`.
  void count_pull(std::size_t frames, std::uint32_t carried, std::uint64_t superseded) noexcept {
    outlet_->count_pull(frames);
    if (frames == 0) return;
    if (superseded != 0) outlet_->superseded.set(superseded);
    count_touch(carried);
  }

  /// The state of the link that does not lie in the memory of its transport.
  void serialize(Archive& archive) noexcept {
    archive.value(touch_);
    archive.value(messages_);
  }

 private:
  void count_touch(std::uint32_t carried) noexcept {
    touch_ = whole_count(touch_, carried) + 1;
    outlet_->touches.set(touch_);
  }

  std::uint32_t worker_;
  std::uint32_t send_;
  std::uint32_t receive_;
  std::uint32_t messages_ = 0;  // sent by try_send()
  AnySender sender_;
  AnyReceiver receiver_;
  InletCounters* inlet_ = nullptr;
  OutletCounters* outlet_ = nullptr;
  std::uint64_t touch_ = 0;
  std::unique_ptr<LinkTuning> tuning_;  // at a fixed address: a LimitedSender points to its limit
};

}  // namespace laxity
