// What all layers of a mesh have in common: their options, and one end-pair of links per neighboring worker.
//
// A layer is pulled and flushed as a whole: a put becomes visible to its reader at the reader's first pull after it,
// inside a worker just as between workers. So an update does not depend on the order in which nodes are visited.
// Source of touch counts: Moreno et al., Best-effort communication improves performance and scales robustly on
//   conventional hardware, II-D.
// Elsewhere: the layers (state_layer.hpp, pooled_layer.hpp, aggregated_layer.hpp, accumulating_layer.hpp,
// plain_layer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "laxity/channel/overflow.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/connector.hpp"
#include "laxity/mesh/local_nodes.hpp"
#include "laxity/mesh/migration/archive.hpp"
#include "laxity/mesh/reactions/link_tuning.hpp"
#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

struct LayerOptions {
  std::size_t send_depth = 2;     ///< frames on their way to a neighbor
  std::size_t receive_depth = 0;  ///< frames waiting at the receiver; on one node both depths make one buffer
  Overflow overflow = Overflow::drop_newest;
  std::uint32_t every = 1;       ///< pulled and flushed in every n-th update
  bool send_on_change = false;   ///< spare frames without change (StateLayer; others ignore it)
  std::size_t max_bytes = 4096;  ///< largest frame (aggregated) or message (plain), bytes; fixed payloads ignore it
  /// To neighbors that cannot keep up, asked in this order by MeshPart::react(); the same for all workers.
  std::vector<std::shared_ptr<const Reaction>> reactions{};
};

/// Whether a reaction of the layer turns the limit of its links. Throws UsageError if their overflow policy has none.
[[nodiscard]] inline bool has_limits(const LayerOptions& options) {
  bool turns_limit = false;
  for (const auto& reaction : options.reactions) turns_limit = turns_limit || reaction->turns_limit();
  if (turns_limit && options.overflow != Overflow::drop_newest)
    throw UsageError("a queue that overwrites cannot be turned into one: this reaction needs overflow drop_newest");
  return turns_limit;
}

/// The mesh as a layer sees it while it is built.
struct LayerSetup {
  const Topology& topology;
  const Partition& partition;
  const LocalNodes& local_nodes;
  Connector& connector;
  std::uint32_t layer;  ///< its number
  LayerOptions options;
};

/// The link to and from one neighboring worker, as a layer's packing uses it, and its counts.
class NeighborLink {
 public:
  /// `send` and `receive` are numbers of channels. Either may be 0: then there is no link that way. The channel numbers
  /// tell apart links of one layer between the same two workers.
  NeighborLink(const LayerSetup& setup, std::uint32_t neighbor, std::uint32_t send, std::uint32_t receive,
               std::size_t send_frame_bytes, std::size_t receive_frame_bytes, std::uint32_t send_channel = 0,
               std::uint32_t receive_channel = 0)
      : worker_(neighbor), send_(send), receive_(receive) {
    const std::uint32_t me = setup.local_nodes.worker();
    const std::size_t depth = setup.options.send_depth + setup.options.receive_depth;
    const LayerOptions& options = setup.options;
    if (!options.reactions.empty() && me != neighbor) {
      tuning_ = std::make_unique<LinkTuning>();
      tuning_->limit = tuning_->depth = depth;
    }
    const std::size_t* const limit = tuning_ && has_limits(options) ? &tuning_->limit : nullptr;
    const LinkSpec out{{setup.layer, me, neighbor, send_channel},
                       send,
                       depth,
                       send_frame_bytes,
                       options.overflow,
                       options.send_depth,
                       limit};
    const LinkSpec in{{setup.layer, neighbor, me, receive_channel},
                      receive,
                      depth,
                      receive_frame_bytes,
                      options.overflow,
                      options.send_depth,
                      limit};
    if (send != 0) {
      inlet_ = &setup.connector.inlet_counters(out);
      if (me != neighbor) sender_ = setup.connector.sender(out);
    }
    if (receive != 0) {
      outlet_ = &setup.connector.outlet_counters(in);
      if (me != neighbor) receiver_ = setup.connector.receiver(in);
    }
  }

  /// For the edges inside the worker, all together: counts and no transport.
  [[nodiscard]] static NeighborLink inside_worker(const LayerSetup& setup, bool has_edges = true) {
    return {setup, setup.local_nodes.worker(), has_edges, has_edges, 0, 0};
  }

  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  [[nodiscard]] bool sends() const noexcept { return send_ != 0; }
  /// Whether this flush sends; to be asked once a flush.
  [[nodiscard]] bool is_due() noexcept { return sends() && (tuning_ == nullptr || tuning_->count_flush()); }
  [[nodiscard]] bool receives() const noexcept { return receive_ != 0; }
  [[nodiscard]] std::uint32_t send_channels() const noexcept { return send_; }
  [[nodiscard]] std::uint32_t receive_channels() const noexcept { return receive_; }

  /// The transport's ends; a packing takes them over in set-up.
  [[nodiscard]] AnySender& sender() noexcept { return sender_; }
  [[nodiscard]] AnyReceiver& receiver() noexcept { return receiver_; }

  /// The touch count that the next frame carries: its low bits, whole_count() restores the rest.
  [[nodiscard]] std::uint32_t touch() const noexcept { return static_cast<std::uint32_t>(touch_); }

  /// All that a successor on the same link must know that does not lie in its memory.
  void serialize(Archive& archive) noexcept { archive.value(touch_); }

  /// What reactions turn; null if the layer has none.
  [[nodiscard]] LinkTuning* tuning() noexcept { return tuning_.get(); }

  /// Counts one try to send a frame.
  void count_flush(bool accepted) noexcept {
    inlet_->attempted.add();
    if (!accepted) inlet_->refused.add();
  }
  void count_unchanged() noexcept {
    inlet_->attempted.add();
    inlet_->unchanged.add();
  }

  /// Counts one pull that moved `frames` frames and found the touch count `carried` in the last.
  void count_pull(std::size_t frames, std::uint32_t carried, std::uint64_t superseded) noexcept {
    outlet_->count_pull(frames);
    if (frames == 0) return;
    if (superseded != 0) outlet_->superseded.set(superseded);
    touch_ = whole_count(touch_, carried) + 1;
    outlet_->touches.set(touch_);
  }

 private:
  std::uint32_t worker_;
  std::uint32_t send_;
  std::uint32_t receive_;
  AnySender sender_;
  AnyReceiver receiver_;
  InletCounters* inlet_ = nullptr;
  OutletCounters* outlet_ = nullptr;
  std::uint64_t touch_ = 0;
  std::unique_ptr<LinkTuning> tuning_;  // at one place, because a sender looks at it
};

}  // namespace laxity
