// Sums of doubles without any rounding: the same terms give the same sum in every order and in every grouping, so that
// partial sums of several workers can be merged.
//
// A sum is a fixed-point number that has room for every bit of every double, and for 2^64 terms.
//
// Source: Kulisch and Miranker, The arithmetic of the digital computer: a new approach (SIAM Review 28, 1986), the long
// accumulator. Threads: any, each with its own sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace laxity {

/// Trivially copyable.
class ExactSum {
 public:
  /// Throws UsageError if x is infinite or not a number.
  void add(double x);
  /// Adds x * y without rounding, if the product and its last bit are within the range of doubles. Throws UsageError if
  /// it is infinite or not a number.
  void add_product(double x, double y);
  void merge(const ExactSum& other) noexcept;

  /// Rounded once, to the nearest double; infinite if the sum is beyond the range of doubles.
  [[nodiscard]] double value() const noexcept;

  bool operator==(const ExactSum&) const = default;

 private:
  // 2098 bits from 2^-1074 to 2^1024, 64 for the number of terms, and a sign.
  static constexpr std::size_t words = 34;

  [[nodiscard]] std::uint64_t bits_from(std::size_t first) const noexcept;
  void negate() noexcept;

  std::array<std::uint64_t, words> words_{};  // two's complement, lowest first, in units of 2^-1074
};

}  // namespace laxity
