// Vectorized comparison of colors.
#include "workloads/coloring/conflicts.hpp"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace laxity {
namespace {

// Up to 64 nodes, without intrinsics.
std::uint64_t conflicts_of_64(const NodeColor* own, const NodeColor* const* heard, std::size_t degree,
                              std::size_t begin, std::size_t count) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool conflict = false;
    for (std::size_t k = 0; k < degree; ++k) conflict |= own[begin + i] == heard[k][begin + i];
    bits |= std::uint64_t{conflict} << i;
  }
  return bits;
}

#if defined(__x86_64__)
// One comparison per neighbor yields 64 bits.
__attribute__((target("avx512bw"))) void find_avx512(const NodeColor* own, const NodeColor* const* heard,
                                                     std::size_t degree, std::size_t words,
                                                     std::uint64_t* conflicts) noexcept {
  for (std::size_t word = 0; word < words; ++word) {
    const __m512i mine = _mm512_loadu_si512(own + 64 * word);
    const auto same_as = [&](std::size_t k) __attribute__((target("avx512bw"))) {
      return _mm512_cmpeq_epi8_mask(mine, _mm512_loadu_si512(heard[k] + 64 * word));
    };
    __mmask64 equal = 0;
    if (degree == 4) {
      equal = _kor_mask64(_kor_mask64(same_as(0), same_as(1)), _kor_mask64(same_as(2), same_as(3)));
    } else {
      for (std::size_t k = 0; k < degree; ++k) equal = _kor_mask64(equal, same_as(k));
    }
    conflicts[word] = _cvtmask64_u64(equal);
  }
}

__attribute__((target("avx2"))) void find_avx2(const NodeColor* own, const NodeColor* const* heard, std::size_t degree,
                                               std::size_t words, std::uint64_t* conflicts) noexcept {
  for (std::size_t half = 0; half < 2 * words; ++half) {
    const __m256i mine = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(own + 32 * half));
    __m256i equal = _mm256_setzero_si256();
    for (std::size_t k = 0; k < degree; ++k) {
      const __m256i theirs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(heard[k] + 32 * half));
      equal = _mm256_or_si256(equal, _mm256_cmpeq_epi8(mine, theirs));
    }
    const std::uint64_t bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(equal));
    conflicts[half / 2] = half % 2 == 0 ? bits : conflicts[half / 2] | bits << 32;
  }
}
#endif

}  // namespace

void find_conflicts(std::span<const NodeColor> own, std::span<const NodeColor* const> heard,
                    std::span<std::uint64_t> conflicts) noexcept {
  const std::size_t whole = own.size() / 64;
  std::size_t done = 0;
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512bw");
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx512) {
    find_avx512(own.data(), heard.data(), heard.size(), whole, conflicts.data());
    done = whole;
  } else if (has_avx2) {
    find_avx2(own.data(), heard.data(), heard.size(), whole, conflicts.data());
    done = whole;
  }
#endif
  for (; done < whole; ++done) conflicts[done] = conflicts_of_64(own.data(), heard.data(), heard.size(), 64 * done, 64);
  if (own.size() % 64 != 0)
    conflicts[whole] = conflicts_of_64(own.data(), heard.data(), heard.size(), 64 * whole, own.size() % 64);
}

std::uint64_t conflicting_edges(const Topology& topology, std::span<const NodeColor> colors) {
  std::uint64_t conflicts = 0;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    const auto inputs = topology.inputs(node);
    for (const std::uint32_t source : inputs) {
      if (source == node || colors[source] != colors[node]) continue;
      // A reciprocal edge is counted at its higher end.
      if (source < node || !topology.input_index(source, node)) ++conflicts;
    }
  }
  return conflicts;
}

}  // namespace laxity
