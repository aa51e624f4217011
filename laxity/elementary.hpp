// Elementary functions whose results do not depend on the library of the host, for distributions.hpp.
//
// Sources that include it must be compiled with -ffp-contract=off. Threads: any. Errors are a few units in the last
// place. Source: Muller, Elementary functions (2016), argument reduction and series; the quotients near 0: W. Kahan, as
// given by Goldberg, What every computer scientist should know about floating-point arithmetic (1991), theorem 4.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#ifdef __FAST_MATH__
#error "the random numbers of laxity need IEEE 754 arithmetic: do not compile with -ffast-math"
#endif

namespace laxity::detail {

static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0, "doubles are those of IEEE 754");

// The logarithm of 2, as a number whose products with exponents are exact, and the rest.
inline constexpr double log_2_high = 0x1.62e42feep-1;
inline constexpr double log_2_low = 1.90821492927058770002e-10;

/// x is 0, a positive normal number, or infinite.
[[nodiscard]] inline double portable_log(double x) noexcept {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  // x = m 2^k with m between sqrt(1/2) and sqrt(2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto k = static_cast<double>(bits >> 52) - 1023;
  auto m = std::bit_cast<double>((bits & 0xfffffffffffffU) | 0x3ff0000000000000U);
  if (m > 1.4142135623730951) {
    m /= 2;
    k += 1;
  }
  // log m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...), |s| < 0.172
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double series = 0;
  for (int n = 21; n >= 3; n -= 2) series = (series + 1.0 / n) * square;
  return k * log_2_high + (2 * s + (2 * s * series + k * log_2_low));
}

[[nodiscard]] inline double portable_exp(double x) noexcept {
  if (x > 709) return std::numeric_limits<double>::infinity();
  if (x < -708) return 0;
  // x = k log 2 + r with |r| <= log 2 / 2
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * log_2_high) - k * log_2_low;
  double series = 1;
  for (int n = 14; n >= 1; --n) series = 1 + series * r / n;
  return series * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + static_cast<int>(k)) << 52);
}

/// log(1 + x) / x; 1 at 0.
[[nodiscard]] inline double log1p_quotient(double x) noexcept {
  const double u = 1 + x;
  return u == 1 ? 1 : portable_log(u) / (u - 1);
}

/// (exp(x) - 1) / x; 1 at 0.
[[nodiscard]] inline double expm1_quotient(double x) noexcept {
  const double u = portable_exp(x);
  if (u == 1) return 1;
  return std::abs(x) < 1 ? (u - 1) / portable_log(u) : (u - 1) / x;
}

}  // namespace laxity::detail
