// On which NUMA nodes the memory of a worker's events lies.
//
// A worker touches its records first and is pinned to a core, so by the system's default they lie on its node anyway;
// asking for it holds under another default too (numactl). Interleaved is there for comparison.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laxity::timewarp {

enum class MemoryPlacement : std::uint8_t {
  local,        ///< on the node of the core that touches a page first
  interleaved,  ///< page by page on all nodes
};

/// Asks for it, of pages that were not touched yet; begins at a page. False: the system does not know of nodes, or does
/// not allow to choose, and its default holds.
bool place(void* memory, std::size_t bytes, MemoryPlacement placement) noexcept;

}  // namespace laxity::timewarp
