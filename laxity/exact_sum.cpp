#include "laxity/exact_sum.hpp"

#include <bit>
#include <cmath>

#include "laxity/require_option.hpp"

namespace laxity {

void ExactSum::add(double x) {
  require_option(std::isfinite(x), "x", x, "only finite numbers can be summed");
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t exponent = (bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
  const std::uint64_t shift = exponent == 0 ? 0 : exponent - 1;  // |x| = mantissa * 2^shift units
  const std::size_t first = shift / 64;
  const std::uint64_t low = mantissa << (shift % 64);
  const std::uint64_t high = shift % 64 == 0 ? 0 : mantissa >> (64 - shift % 64);
  if (!std::signbit(x)) {
    bool carry = __builtin_add_overflow(words_[first], low, &words_[first]);
    carry = __builtin_add_overflow(words_[first + 1], high + carry, &words_[first + 1]);
    for (std::size_t i = first + 2; carry && i < words; ++i) carry = ++words_[i] == 0;
  } else {
    bool borrow = __builtin_sub_overflow(words_[first], low, &words_[first]);
    borrow = __builtin_sub_overflow(words_[first + 1], high + borrow, &words_[first + 1]);
    for (std::size_t i = first + 2; borrow && i < words; ++i) borrow = words_[i]-- == 0;
  }
}

void ExactSum::add_product(double x, double y) {
  const double product = x * y;
  add(product);
  add(std::fma(x, y, -product));  // what rounding has lost
}

void ExactSum::merge(const ExactSum& other) noexcept {
  bool carry = false;
  for (std::size_t i = 0; i < words; ++i) {
    const bool first = __builtin_add_overflow(words_[i], other.words_[i], &words_[i]);
    const bool second = __builtin_add_overflow(words_[i], std::uint64_t{carry}, &words_[i]);
    carry = first || second;
  }
}

double ExactSum::value() const noexcept {
  ExactSum magnitude = *this;
  const bool is_negative = words_.back() >> 63 != 0;
  if (is_negative) magnitude.negate();
  std::size_t top = words;
  while (top > 0 && magnitude.words_[top - 1] == 0) --top;
  if (top == 0) return 0;
  const std::size_t bits = 64 * top - static_cast<std::size_t>(std::countl_zero(magnitude.words_[top - 1]));
  std::size_t first = 0;  // of the bits that a double has room for
  std::uint64_t mantissa = magnitude.words_[0];
  if (bits > 53) {
    first = bits - 53;
    mantissa = magnitude.bits_from(first) & ((std::uint64_t{1} << 53) - 1);
    const std::size_t half = first - 1;
    bool is_more = (magnitude.words_[half / 64] & ((std::uint64_t{1} << (half % 64)) - 1)) != 0;
    for (std::size_t i = 0; i < half / 64 && !is_more; ++i) is_more = magnitude.words_[i] != 0;
    const bool is_half = (magnitude.words_[half / 64] >> (half % 64) & 1) != 0;
    if (is_half && (is_more || mantissa % 2 != 0)) ++mantissa;  // ties to even
  }
  const double rounded = std::ldexp(static_cast<double>(mantissa), static_cast<int>(first) - 1074);
  return is_negative ? -rounded : rounded;
}

// 64 bits; those beyond the last word are 0.
std::uint64_t ExactSum::bits_from(std::size_t first) const noexcept {
  const std::size_t word = first / 64, shift = first % 64;
  const std::uint64_t low = words_[word] >> shift;
  return shift == 0 || word + 1 == words ? low : low | words_[word + 1] << (64 - shift);
}

void ExactSum::negate() noexcept {
  bool carry = true;
  for (std::uint64_t& word : words_) {
    word = ~word + carry;
    carry = carry && word == 0;
  }
}

}  // namespace laxity
