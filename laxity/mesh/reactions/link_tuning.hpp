// The parameters of one link that its sender may change during a run.
//
// Threads: the sender's.
// Elsewhere: who changes them (reaction.hpp), who obeys them (layers/neighbor_link.hpp, transport/limited_sender.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/transport/limited_sender.hpp"

namespace laxity {

struct LinkTuning {
  std::uint32_t every = 1;    ///< sends with every n-th flush of the layer, at least 1
  std::size_t limit = 1;      ///< frames that may wait before the link refuses, 1 to `depth`, or no_limit
  std::size_t depth = 1;      ///< capacity of the link, frames; constant
  std::uint32_t flushes = 0;  ///< flushes since the last frame

  /// Counts a flush. Returns whether the link sends with it.
  [[nodiscard]] bool count_flush() noexcept {
    if (++flushes < every) return false;
    flushes = 0;
    return true;
  }
};

}  // namespace laxity
