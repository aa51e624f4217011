// Tags: 64-bit names that programs use instead of addresses, matched by similarity.
//
// Source: the streak distance of Downing, Intelligence Emerging (MIT Press, 2015), in the form that Lalejini and Ofria,
// Evolving event-driven programs with SignalGP (GECCO 2018), use for tags of one width.
// Threads: pure functions.
#pragma once

#include <array>
#include <cstdint>

namespace laxity::evolution {

using Tag = std::uint64_t;

/// Length of the longest run of one bits, 0 to 64.
[[nodiscard]] constexpr int longest_run_of_ones(std::uint64_t bits) noexcept {
  int length = 0;
  for (; bits != 0; bits &= bits << 1) ++length;  // each step shortens every run by one bit
  return length;
}

namespace detail {

// Expected number of runs of at least k equal coin flips in 64, roughly: (64 - k + 1) / 2^k.
inline constexpr auto streak_weights = [] {
  std::array<double, 65> weights{};
  double power = 1;
  for (int k = 0; k <= 64; ++k, power /= 2) weights[static_cast<std::size_t>(k)] = (64 - k + 1) * power;
  return weights;
}();

}  // namespace detail

/// Distance of two tags in [0, 1]: near 0 if a long run of their bits agrees, near 1 if a long run differs; 0.5 if both
/// runs are as long. 26 % of random pairs are at most 0.2 apart, and 59 % at most 0.5. Symmetric.
[[nodiscard]] constexpr float tag_distance(Tag a, Tag b) noexcept {
  const std::uint64_t differs = a ^ b;
  const double same = detail::streak_weights[static_cast<std::size_t>(longest_run_of_ones(~differs))];
  const double unlike = detail::streak_weights[static_cast<std::size_t>(longest_run_of_ones(differs))];
  return static_cast<float>(same / (same + unlike));
}

}  // namespace laxity::evolution
