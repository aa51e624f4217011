// The options that all layers of a mesh have in common.
//
// Elsewhere: the layers (state_layer.hpp, pooled_layer.hpp, aggregated_layer.hpp, accumulating_layer.hpp,
//   plain_layer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "laxity/channel/overflow.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

struct LayerOptions {
  std::size_t send_depth = 2;     ///< frames in flight to a neighbor
  std::size_t receive_depth = 0;  ///< frames queued at the receiver; on one host both depths form one buffer
  /// If set, the send_depth of the channel along the edge from node `from` to node `to`, at least 1. The workers of
  /// both nodes call it and must get the same. PlainLayer only: the channels of other layers share their frames.
  std::function<std::size_t(std::uint32_t from, std::uint32_t to)> channel_depth{};
  Overflow overflow = Overflow::drop_newest;
  std::uint32_t every = 1;       ///< the layer is pulled and flushed in every n-th update
  bool send_on_change = false;   ///< send no frame whose values are those of the previous one (StateLayer only)
  std::size_t max_bytes = 4096;  ///< largest frame (aggregated) or message (plain) of variable length, bytes
  /// What to do about neighbors that cannot keep up, in order of precedence (MeshPart::react()); the same for all
  /// workers.
  std::vector<std::shared_ptr<const Reaction>> reactions{};
};

/// Whether a reaction of the layer tunes the limit of its links. Throws UsageError if their overflow policy has none.
[[nodiscard]] inline bool has_limits(const LayerOptions& options) {
  bool tunes_limit = false;
  for (const auto& reaction : options.reactions) tunes_limit = tunes_limit || reaction->tunes_limit();
  if (tunes_limit && options.overflow != Overflow::drop_newest)
    throw UsageError("a reaction that tunes the limit of a queue needs overflow drop_newest");
  return tunes_limit;
}

}  // namespace laxity
