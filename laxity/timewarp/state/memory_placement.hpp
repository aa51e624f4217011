// On which NUMA nodes the event memory of a worker lies.
//
// A worker is pinned to a core and touches its records first, so by the default policy of Linux they lie on its NUMA
// node. Requesting this placement makes it independent of the default, which numactl may change. Interleaved placement
// exists for comparison.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laxity::timewarp {

enum class MemoryPlacement : std::uint8_t {
  local,        ///< on the NUMA node of the core that touches a page first
  interleaved,  ///< page by page over all NUMA nodes
};

/// Requests the placement of pages that were not touched yet; `memory` is the start of a page. False: the system does
/// not support or does not permit it, and its default policy holds.
bool place(void* memory, std::size_t bytes, MemoryPlacement placement) noexcept;

}  // namespace laxity::timewarp
