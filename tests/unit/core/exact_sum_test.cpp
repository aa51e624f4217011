// Sums of doubles without rounding.
#include "laxity/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

using Limits = std::numeric_limits<double>;

ExactSum sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum;
}

TEST(ExactSum, HasTheValuesThatAreKnown) {
  struct Case {
    std::vector<double> terms;
    double sum;
  };
  const double last = Limits::denorm_min();
  const Case cases[] = {
      {{}, 0},
      {{0.0, -0.0}, 0},
      {{1e308, 1, -1e308}, 1},
      {{1, 1e-30, -1}, 1e-30},
      {{Limits::max(), Limits::max(), -Limits::max()}, Limits::max()},
      {{Limits::max(), Limits::max()}, Limits::infinity()},
      {{-Limits::max(), -Limits::max()}, -Limits::infinity()},
      {{last, last}, 2 * last},
      {{Limits::min(), -last}, Limits::min() - last},
      {{-1, last}, -1},
      {{1, Limits::epsilon() / 2}, 1},                                              // a tie: to even
      {{1 + Limits::epsilon(), Limits::epsilon() / 2}, 1 + 2 * Limits::epsilon()},  // a tie: to even
      {{1, Limits::epsilon() / 2, last}, 1 + Limits::epsilon()},                    // more than a tie
      {{-1, -Limits::epsilon() / 2, -last}, -1 - Limits::epsilon()},                // the same below 0
      {{0x1p53, 1, 1, 1}, 0x1p53 + 4},                                              // 3 is a tie: to even
      {{0x1.fffffffffffffp60, 0x1p7}, 0x1p61},                                      // rounding carries over
  };
  for (const Case& one : cases) EXPECT_EQ(sum_of(one.terms).value(), one.sum);
}

// Integers in units of 2^-k are summed without rounding by integers.
TEST(ExactSum, EqualsTheSumOfIntegers) {
  SeededRandom random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const int exponent = static_cast<int>(random.below(2000)) - 1060;
    std::int64_t whole = 0;
    ExactSum sum;
    for (std::uint32_t i = random.below(20); i > 0; --i) {
      const auto term = static_cast<std::int64_t>(random.bits()) >> (11 + random.below(52));
      whole += term;
      sum.add(std::ldexp(static_cast<double>(term), exponent));
    }
    EXPECT_EQ(sum.value(), std::ldexp(static_cast<double>(whole), exponent)) << "trial " << trial;
  }
}

TEST(ExactSum, IsTheSameInEveryOrderAndGrouping) {
  SeededRandom random(2);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> terms;
    while (terms.size() < 40) {
      const auto term = std::bit_cast<double>(random.bits());
      if (std::isfinite(term)) terms.push_back(term);
      if (random.below(4) == 0 && !terms.empty())
        terms.push_back(-terms[random.below(static_cast<std::uint32_t>(terms.size()))]);
    }
    const ExactSum expected = sum_of(terms);
    for (std::size_t i = terms.size() - 1; i > 0; --i)
      std::swap(terms[i], terms[random.below(static_cast<std::uint32_t>(i + 1))]);
    const auto middle = terms.begin() + static_cast<std::ptrdiff_t>(random.below(41) % (terms.size() + 1));
    ExactSum first = sum_of({terms.begin(), middle});
    first.merge(sum_of({middle, terms.end()}));
    EXPECT_TRUE(first == expected);
    for (const double term : terms) first.add(-term);
    EXPECT_TRUE(first == ExactSum());
  }
}

TEST(ExactSum, KeepsWhatRoundingOfAProductWouldLose) {
  const double x = 1 + Limits::epsilon();
  ExactSum sum;
  sum.add_product(x, x);  // 1 + 2e + e^2
  sum.add(-1);
  sum.add(-2 * Limits::epsilon());
  EXPECT_EQ(sum.value(), Limits::epsilon() * Limits::epsilon());
}

TEST(ExactSum, RefusesWhatIsNotFinite) {
  ExactSum sum;
  EXPECT_THROW(sum.add(Limits::infinity()), UsageError);
  EXPECT_THROW(sum.add(Limits::quiet_NaN()), UsageError);
  EXPECT_THROW(sum.add_product(Limits::max(), 2), UsageError);
  EXPECT_EQ(sum.value(), 0);
}

}  // namespace
}  // namespace laxity
