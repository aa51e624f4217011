// Distributions of random numbers that are the same with every compiler, optimization level and host.
//
// The distributions of the standard library are not specified, and log() and exp() differ in the last bit between
// libraries and processors. Here the same generator gives the same numbers everywhere: all arithmetic is addition,
// multiplication, division and square root of IEEE 754 doubles, in sources that are compiled without fused
// multiply-add.
//
// Parameters are those of numpy.random.Generator; Zipf's distribution is that of RejectionInversionZipfSampler in
// Apache Commons RNG. `Random` is SeededRandom or RandomStream. Functions throw UsageError for parameters that make no
// sense, which a handler need not catch: it ends the run with an error that names the process.
//
// Threads: any, each with its own generator. Elsewhere: the elementary functions (elementary.hpp); when to use
// which generator (docs/modeling.md).
#pragma once

#include <cstdint>
#include <vector>

namespace laxity {

/// Uniform between `low` and `high`; draws one number. low <= high, and their difference is finite.
template <class Random>
[[nodiscard]] double uniform(Random& random, double low, double high);

/// Exponential, by inversion; draws one number. mean > 0; infinity, of a rate of 0, gives infinity. The result is
/// positive unless it underflows.
template <class Random>
[[nodiscard]] double exponential(Random& random, double mean);

/// Normal, by inversion; draws one number. standard_deviation >= 0; both finite.
/// Source: Wichura, algorithm AS 241, Applied Statistics 37 (1988), PPND16.
template <class Random>
[[nodiscard]] double normal(Random& random, double mean, double standard_deviation);

/// Gamma with mean shape * scale, by rejection. Both positive and finite; the result may underflow to 0.
/// Source: Marsaglia and Tsang, A simple method for generating gamma variables (TOMS 2000).
template <class Random>
[[nodiscard]] double gamma(Random& random, double shape, double scale);

/// Poisson: by multiplication for means below 10, by rejection above. 0 <= mean <= 2^31.
/// Source: Hörmann, The transformed rejection method for generating Poisson random variables (1993), PTRS.
template <class Random>
[[nodiscard]] std::uint64_t poisson(Random& random, double mean);

/// Zipf: a number k in 1 .. elements with probability proportional to k^-exponent, by rejection in bounded mean time.
/// Source: Hörmann and Derflinger, Rejection-inversion to generate variates from monotone discrete distributions
/// (TOMACS 1996).
class Zipf {
 public:
  /// 1 <= elements <= 2^53; 0 < exponent < infinity.
  Zipf(std::uint64_t elements, double exponent);

  template <class Random>
  [[nodiscard]] std::uint64_t operator()(Random& random) const;

 private:
  [[nodiscard]] double density(double x) const;           // x^-exponent
  [[nodiscard]] double integral(double x) const;          // of the density, up to a constant
  [[nodiscard]] double inverse_integral(double x) const;  // of integral()

  double elements_;
  double exponent_;
  double lower_, upper_;  // integrals at the ends
  double always_;         // distance up to which a rounded number is accepted without a test
};

/// Empirical: values as often as they were observed; draws one number.
class Empirical {
 public:
  /// As many weights as values, not negative and finite, with a positive and finite sum.
  Empirical(std::vector<double> values, const std::vector<double>& weights);
  /// Observations of equal weight; at least one.
  explicit Empirical(std::vector<double> observations);

  template <class Random>
  [[nodiscard]] double operator()(Random& random) const;

 private:
  std::vector<double> values_;
  std::vector<double> cumulative_;  // sums of weights
};

}  // namespace laxity
