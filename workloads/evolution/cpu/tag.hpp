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

/// tag_distance(a, b) if it is at most 0.5, that is, if no run of unequal bits is longer than the longest of equal
/// ones; else 1, in half the time.
[[nodiscard]] constexpr float tag_distance_up_to_half(Tag a, Tag b) noexcept {
  std::uint64_t unlike = a ^ b;
  std::uint64_t same = ~unlike;
  int length = 0;
  const auto runs_of_four = [](std::uint64_t bits) {
    bits &= bits << 1;
    return bits & bits << 2;
  };
  if (runs_of_four(same) != 0 && runs_of_four(unlike) != 0) {  // as most pairs have
    same = runs_of_four(same), unlike = runs_of_four(unlike), length = 3;
  }
  while (same != 0 && unlike != 0) {
    same &= same << 1;
    unlike &= unlike << 1;
    ++length;
  }
  if (unlike != 0) return 1;
  const double weight_of_unlike = detail::streak_weights[static_cast<std::size_t>(length)];
  for (; same != 0; ++length) same &= same << 1;
  const double weight_of_same = detail::streak_weights[static_cast<std::size_t>(length)];
  return static_cast<float>(weight_of_same / (weight_of_same + weight_of_unlike));
}

}  // namespace laxity::evolution
