// Random numbers that are the same on every host for the same seed, unlike the distributions of the standard library.
//
// Source: SplitMix64 of Steele, Lea and Flood, Fast splittable pseudorandom number generators (OOPSLA 2014); bounded
// numbers by Lemire, Fast random integer generation in an interval (TOMACS 2019).
// Threads: one generator, one thread. Elsewhere: independent streams from one seed (random_stream.hpp), distributions
// (distributions.hpp).
#pragma once

#include <cstdint>

namespace laxity {

/// Uniform numbers from the bits() of a generator, which derives from this class.
template <class Generator>
class UniformNumbers {
 public:
  /// Uniform in 0 .. bound-1, unbiased; bound >= 1.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    const std::uint32_t threshold =
        (0U - bound) % bound;  // 2^32 mod bound: products with a lower low half are rejected
    for (;;) {
      const std::uint64_t product = (bits() >> 32) * bound;
      if (static_cast<std::uint32_t>(product) >= threshold) return static_cast<std::uint32_t>(product >> 32);
    }
  }

  /// Uniform in [0, 1), in steps of 2^-53.
  [[nodiscard]] double unit() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// Uniform in (0, 1): the odd multiples of 2^-53, so that neither end occurs and 1 - x is as likely as x.
  [[nodiscard]] double open_unit() noexcept { return static_cast<double>((bits() >> 11) | 1) * 0x1p-53; }

 private:
  friend Generator;  // so that nothing else derives from it
  UniformNumbers() noexcept = default;

  [[nodiscard]] std::uint64_t bits() noexcept { return static_cast<Generator*>(this)->bits(); }
};

/// Eight bytes of state and the fastest of the generators here. Generators with different seeds walk along one cycle of
/// 2^64 numbers from different places, so that the numbers of very many of them overlap.
class SeededRandom : public UniformNumbers<SeededRandom> {
 public:
  SeededRandom() noexcept = default;
  explicit SeededRandom(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t bits() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace laxity
