#include "laxity/timewarp/state/memory_placement.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>

namespace laxity::timewarp {

// System calls, as the C library has no wrappers for them.
bool place(void* memory, std::size_t bytes, MemoryPlacement placement) noexcept {
  if (placement == MemoryPlacement::local)
    return ::syscall(SYS_mbind, memory, bytes, MPOL_LOCAL, nullptr, 0UL, 0U) == 0;
  std::array<unsigned long, 1024 / (CHAR_BIT * sizeof(unsigned long))> numa_nodes{};
  constexpr unsigned long bits = numa_nodes.size() * sizeof(numa_nodes[0]) * CHAR_BIT;
  if (::syscall(SYS_get_mempolicy, nullptr, numa_nodes.data(), bits, nullptr, MPOL_F_MEMS_ALLOWED) != 0) return false;
  return ::syscall(SYS_mbind, memory, bytes, MPOL_INTERLEAVE, numa_nodes.data(), bits, 0U) == 0;
}

}  // namespace laxity::timewarp
