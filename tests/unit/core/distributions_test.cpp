// Every distribution has the moments and the distribution function of its definition, and gives the same numbers with
// every compiler. All seeds are fixed, so that a test passes always or never; a correct generator would fail a
// goodness-of-fit test with one seed of a thousand.
#include "laxity/distributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/random_stream.hpp"

namespace laxity {
namespace {

constexpr int draws = 20'000;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sample(const std::function<double(RandomStream&)>& draw, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<double> drawn;
  for (int i = 0; i < draws; ++i) drawn.push_back(draw(random));
  return drawn;
}

void expect_moments(const std::vector<double>& drawn, double mean, double variance, double fourth_central_moment) {
  const double n = static_cast<double>(drawn.size());
  double sum = 0;
  for (const double x : drawn) sum += x;
  double squares = 0;
  for (const double x : drawn) squares += (x - mean) * (x - mean);
  EXPECT_NEAR(sum / n, mean, 3.3 * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, 3.3 * std::sqrt((fourth_central_moment - variance * variance) / n));
}

// Kolmogorov and Smirnov; 1.95 is the 0.999 quantile of their distribution.
void expect_continuous(std::vector<double> drawn, const std::function<double(double)>& distribution_function) {
  std::sort(drawn.begin(), drawn.end());
  const double n = static_cast<double>(drawn.size());
  double distance = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double expected = distribution_function(drawn[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - expected});
  }
  EXPECT_LT(distance * std::sqrt(n), 1.95);
}

// Chi-squared over the numbers from `first`, the last cell with all that follow; bound by Wilson and Hilferty.
void expect_discrete(const std::vector<double>& drawn, std::uint64_t first, std::uint64_t cells,
                     const std::function<double(double)>& probability) {
  std::vector<double> counts(cells);
  for (const double x : drawn) {
    ASSERT_GE(x, first);
    ++counts[std::min(static_cast<std::uint64_t>(x) - first, cells - 1)];
  }
  double statistic = 0;
  double remaining = 1;
  for (std::uint64_t i = 0; i < cells; ++i) {
    const double p = i + 1 < cells ? probability(static_cast<double>(first + i)) : remaining;
    remaining -= p;
    const double expected = p * static_cast<double>(drawn.size());
    ASSERT_GE(expected, 4) << "cell " << i;
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const double k = static_cast<double>(cells - 1);
  EXPECT_LT(statistic, k * std::pow(1 - 2 / (9 * k) + 3.09 * std::sqrt(2 / (9 * k)), 3));
}

TEST(Distributions, Uniform) {
  const auto drawn = sample([](auto& random) { return uniform(random, -2, 4); }, 1);
  expect_moments(drawn, 1, 3, 16.2);
  expect_continuous(drawn, [](double x) { return (x + 2) / 6; });
}

TEST(Distributions, Exponential) {
  const auto drawn = sample([](auto& random) { return exponential(random, 2); }, 2);
  expect_moments(drawn, 2, 4, 144);
  expect_continuous(drawn, [](double x) { return 1 - std::exp(-x / 2); });
  SeededRandom random(1);
  EXPECT_EQ(exponential(random, infinity), infinity);
}

TEST(Distributions, Normal) {
  const auto drawn = sample([](auto& random) { return normal(random, 3, 2); }, 3);
  expect_moments(drawn, 3, 4, 48);
  expect_continuous(drawn, [](double x) { return std::erfc((3 - x) / std::sqrt(8)) / 2; });
  RandomStream random(1);
  EXPECT_EQ(normal(random, 5, 0), 5);
}

// The distribution functions of shapes that are multiples of 1/2, by integration by parts.
double gamma_distribution(double shape, double x) {
  if (shape == 0.5) return std::erf(std::sqrt(x));
  if (shape == 1) return 1 - std::exp(-x);
  return gamma_distribution(shape - 1, x) - std::exp((shape - 1) * std::log(x) - x - std::lgamma(shape));
}

TEST(Distributions, Gamma) {
  for (const double shape : {0.5, 1.0, 2.5, 9.0}) {
    SCOPED_TRACE(shape);
    const auto drawn = sample([&](auto& random) { return gamma(random, shape, 3); }, 4);
    expect_moments(drawn, 3 * shape, 9 * shape, 81 * (3 * shape * shape + 6 * shape));
    expect_continuous(drawn, [&](double x) { return gamma_distribution(shape, x / 3); });
  }
}

TEST(Distributions, Poisson) {
  for (const double mean : {0.3, 4.0, 9.99, 10.0, 25.0}) {
    SCOPED_TRACE(mean);
    const auto drawn = sample([&](auto& random) { return static_cast<double>(poisson(random, mean)); }, 5);
    expect_moments(drawn, mean, mean, mean + 3 * mean * mean);
    const auto probability = [&](double k) { return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1)); };
    std::uint64_t first = 0;
    while (probability(static_cast<double>(first)) * draws < 5) ++first;
    auto in_cells = drawn;
    double below = 0;
    for (std::uint64_t k = 0; k < first; ++k) below += probability(static_cast<double>(k));
    for (double& k : in_cells) k = std::max(k, static_cast<double>(first));  // the lower tail joins the first cell
    auto cells = static_cast<std::uint64_t>(mean) - first + 2;
    while (probability(static_cast<double>(first + cells - 1)) * draws > 8) ++cells;
    expect_discrete(in_cells, first, cells,
                    [&](double k) { return probability(k) + (k == static_cast<double>(first) ? below : 0); });
  }
}

TEST(Distributions, PoissonOfLargeMeans) {
  const double mean = 1e6;
  expect_moments(sample([&](auto& random) { return static_cast<double>(poisson(random, mean)); }, 6), mean, mean,
                 mean + 3 * mean * mean);
  RandomStream random(1);
  EXPECT_EQ(poisson(random, 0), 0U);
}

TEST(Distributions, Zipf) {
  for (const double exponent : {0.5, 1.0, 1.5}) {
    SCOPED_TRACE(exponent);
    constexpr std::uint64_t elements = 50;
    double sum = 0;
    for (std::uint64_t k = 1; k <= elements; ++k) sum += std::pow(static_cast<double>(k), -exponent);
    const Zipf zipf(elements, exponent);
    const auto drawn = sample([&](auto& random) { return static_cast<double>(zipf(random)); }, 7);
    EXPECT_LE(*std::max_element(drawn.begin(), drawn.end()), elements);
    expect_discrete(drawn, 1, elements, [&](double k) { return std::pow(k, -exponent) / sum; });
  }
  RandomStream random(1);
  EXPECT_EQ(Zipf(1, 2)(random), 1U);
  EXPECT_LE(Zipf(std::uint64_t{1} << 53, 1.1)(random), std::uint64_t{1} << 53);
}

TEST(Distributions, Empirical) {
  const Empirical weighted({0, 1, 2, 3}, {0, 3, 0, 1});
  const auto drawn = sample([&](auto& random) { return weighted(random); }, 8);
  const auto ones = static_cast<double>(std::count(drawn.begin(), drawn.end(), 1));
  EXPECT_EQ(static_cast<double>(std::count(drawn.begin(), drawn.end(), 3)) + ones, draws);
  EXPECT_NEAR(ones / draws, 0.75, 3.3 * std::sqrt(0.75 * 0.25 / draws));
  const auto observed = sample([values = Empirical({0, 1, 2})](auto& random) { return values(random); }, 9);
  expect_discrete(observed, 0, 3, [](double) { return 1.0 / 3; });
}

TEST(Distributions, RefuseParametersThatMakeNoSense) {
  RandomStream random(1);
  EXPECT_THROW((void)uniform(random, 1, 0), UsageError);
  EXPECT_THROW((void)uniform(random, -1e308, 1e308), UsageError);
  for (const double bad : {0.0, -1.0, nan}) {
    EXPECT_THROW((void)exponential(random, bad), UsageError);
    EXPECT_THROW((void)gamma(random, bad, 1), UsageError);
    EXPECT_THROW((void)gamma(random, 1, bad), UsageError);
    EXPECT_THROW(Zipf(2, bad), UsageError);
  }
  EXPECT_THROW((void)normal(random, infinity, 1), UsageError);
  EXPECT_THROW((void)normal(random, 0, -1), UsageError);
  for (const double bad : {-1.0, nan, infinity}) EXPECT_THROW((void)poisson(random, bad), UsageError);
  EXPECT_THROW(Zipf(0, 1), UsageError);
  EXPECT_THROW(Empirical({1, 2}, {1}), UsageError);
  EXPECT_THROW(Empirical({1, 2}, {0, 0}), UsageError);
  EXPECT_THROW(Empirical({1, 2}, {1, -1}), UsageError);
  EXPECT_THROW(Empirical(std::vector<double>{}), UsageError);
}

TEST(Distributions, AreTheSameWithEveryCompiler) {
  RandomStream random(2026, 11, 23);
  for (int i = 0; i < 1000; ++i) {
    (void)normal(random, 0, 1);
    (void)gamma(random, 0.7, 2);
    (void)poisson(random, 33);
    (void)Zipf(1000, 1.2)(random);
  }
  EXPECT_EQ(uniform(random, 0, 7), 0x1.baed734dd8ac7p+2);
  EXPECT_EQ(exponential(random, 7), 0x1.723b97971e339p+3);
  EXPECT_EQ(normal(random, 1, 7), 0x1.67799cbaad2ap+2);
  EXPECT_EQ(gamma(random, 0.7, 7), 0x1.1d708f3e47d35p+1);
  EXPECT_EQ(poisson(random, 700), 662U);
  EXPECT_EQ(Zipf(1'000'000, 0.7)(random), 632043U);
}

}  // namespace
}  // namespace laxity
