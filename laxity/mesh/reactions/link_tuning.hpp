// What may be turned about one link of a mesh while it runs, by the worker that sends.
//
// Threads: that worker. Elsewhere: who turns it (reaction.hpp), who obeys (layer.hpp, transport/limited_sender.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/transport/limited_sender.hpp"

namespace laxity {

struct LinkTuning {
  std::uint32_t every = 1;  ///< sends with every n-th flush of the layer, at least 1
  std::size_t limit = 1;  ///< frames that may wait for the neighbor before the link refuses, 1 to `depth`, or no_limit
  std::size_t depth = 1;  ///< frames that there is room for; constant
  std::uint32_t flushes = 0;  ///< since the last that was sent

  /// Counts a flush and says whether it is the turn of this link.
  [[nodiscard]] bool count_flush() noexcept {
    if (++flushes < every) return false;
    flushes = 0;
    return true;
  }
};

}  // namespace laxity
