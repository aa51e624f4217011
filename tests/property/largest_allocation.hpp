// How much memory a parser asks for at once: a count that a file claims must not become an allocation of that size.
//
// Linking largest_allocation.cpp replaces the program's operator new. Threads: each has its own figure.
#pragma once

#include <cstddef>

namespace laxity {

/// Bytes of the largest allocation of this thread since the last call of this function.
[[nodiscard]] std::size_t take_largest_allocation() noexcept;

/// What a parser may ask for at once: linear in its input, with room for messages and tables of its own.
[[nodiscard]] constexpr std::size_t allocation_for(std::size_t input_bytes) noexcept {
  return 256 * input_bytes + (std::size_t{64} << 10);
}

}  // namespace laxity
