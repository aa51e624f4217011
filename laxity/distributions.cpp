#include "laxity/distributions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "laxity/elementary.hpp"
#include "laxity/random.hpp"
#include "laxity/random_stream.hpp"
#include "laxity/require_option.hpp"

namespace laxity {

using detail::portable_exp;
using detail::portable_log;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <std::size_t n>
double polynomial(const std::array<double, n>& coefficients, double x) noexcept {
  double sum = 0;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * x + *c;
  return sum;
}

// The quantile of the standard normal distribution, 0 < p < 1, and its coefficients in three ranges, from Wichura.
double normal_quantile(double p) noexcept {
  constexpr std::array<double, 8> a{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                    1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                    3.3430575583588128105e4, 2.5090809287301226727e3};
  constexpr std::array<double, 8> b{1.0,
                                    4.2313330701600911252e1,
                                    6.8718700749205790830e2,
                                    5.3941960214247511077e3,
                                    2.1213794301586595867e4,
                                    3.9307895800092710610e4,
                                    2.8729085735721942674e4,
                                    5.2264952788528545610e3};
  constexpr std::array<double, 8> c{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                    3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                    2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array<double, 8> d{1.0,
                                    2.05319162663775882187e0,
                                    1.67638483018380384940e0,
                                    6.89767334985100004550e-1,
                                    1.48103976427480074590e-1,
                                    1.51986665636164571966e-2,
                                    5.47593808499534494600e-4,
                                    1.05075007164441684324e-9};
  constexpr std::array<double, 8> e{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                    2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array<double, 8> f{1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double x =
      r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -x : x;
}

// log(k!): from a table, or Stirling's series for the gamma function at k + 1.
double log_factorial(double k) noexcept {
  if (k < 10) {
    constexpr std::array<double, 10> factorials{1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880};
    return portable_log(factorials[static_cast<std::size_t>(k)]);
  }
  const double x = k + 1;
  const double inverse_square = 1 / (x * x);
  const double series = (1.0 / 12 - inverse_square * (1.0 / 360 - inverse_square * (1.0 / 1260))) / x;
  return (x - 0.5) * portable_log(x) - x + 0.91893853320467274178 + series;  // log sqrt(2 pi)
}

// Gamma with scale 1 and shape >= 1.
template <class Random>
double gamma_from_one(Random& random, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal_quantile(random.open_unit());
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable_log(random.open_unit()) < 0.5 * x * x + d * (1 - v + portable_log(v))) return d * v;
  }
}

template <class Random>
std::uint64_t small_poisson(Random& random, double mean) {
  const double limit = portable_exp(-mean);
  std::uint64_t k = 0;
  double product = random.open_unit();
  while (product > limit) {
    product *= random.open_unit();
    ++k;
  }
  return k;
}

template <class Random>
std::uint64_t large_poisson(Random& random, double mean) {
  const double log_mean = portable_log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double accepted = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = random.open_unit() - 0.5;
    const double v = random.open_unit();
    const double from_end = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / from_end + b) * u + mean + 0.43);
    if (from_end >= 0.07 && v <= accepted) return static_cast<std::uint64_t>(k);
    if (k < 0 || (from_end < 0.013 && v > from_end)) continue;
    const double left = portable_log(v * inverse_alpha / (a / (from_end * from_end) + b));
    if (left <= k * log_mean - mean - log_factorial(k)) return static_cast<std::uint64_t>(k);
  }
}

}  // namespace

template <class Random>
double uniform(Random& random, double low, double high) {
  const double width = high - low;
  require_option(width >= 0 && width < infinity, "high - low", width, "must be finite and not negative");
  return low + width * random.unit();
}

template <class Random>
double exponential(Random& random, double mean) {
  require_option(mean > 0, "mean", mean, "must be positive");
  return -mean * portable_log(random.open_unit());
}

template <class Random>
double normal(Random& random, double mean, double standard_deviation) {
  require_option(std::abs(mean) < infinity, "mean", mean, "must be finite");
  require_option(standard_deviation >= 0 && standard_deviation < infinity, "standard_deviation", standard_deviation,
                 "must be finite and not negative");
  return mean + standard_deviation * normal_quantile(random.open_unit());
}

template <class Random>
double gamma(Random& random, double shape, double scale) {
  require_option(shape > 0 && shape < infinity, "shape", shape, "must be positive and finite");
  require_option(scale > 0 && scale < infinity, "scale", scale, "must be positive and finite");
  if (shape >= 1) return scale * gamma_from_one(random, shape);
  const double next = gamma_from_one(random, shape + 1);
  return scale * next * portable_exp(portable_log(random.open_unit()) / shape);
}

template <class Random>
std::uint64_t poisson(Random& random, double mean) {
  require_option(mean >= 0 && mean <= 0x1p31, "mean", mean, "must be from 0 to 2^31");
  return mean < 10 ? small_poisson(random, mean) : large_poisson(random, mean);
}

Zipf::Zipf(std::uint64_t elements, double exponent) : elements_(static_cast<double>(elements)), exponent_(exponent) {
  require_option(elements >= 1 && elements <= std::uint64_t{1} << 53, "elements", elements, "must be from 1 to 2^53");
  require_option(exponent > 0 && exponent < infinity, "exponent", exponent, "must be positive and finite");
  lower_ = integral(1.5) - 1;
  upper_ = integral(elements_ + 0.5);
  always_ = 2 - inverse_integral(integral(2.5) - density(2));
}

double Zipf::density(double x) const { return portable_exp(-exponent_ * portable_log(x)); }

double Zipf::integral(double x) const {
  const double log_x = portable_log(x);
  return log_x * detail::expm1_quotient((1 - exponent_) * log_x);
}

double Zipf::inverse_integral(double x) const {
  const double t = std::max(x * (1 - exponent_), -1.0);  // less only because of rounding
  return portable_exp(x * detail::log1p_quotient(t));
}

template <class Random>
std::uint64_t Zipf::operator()(Random& random) const {
  for (;;) {
    const double u = upper_ + random.open_unit() * (lower_ - upper_);
    const double x = inverse_integral(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, elements_);
    if (k - x <= always_ || u >= integral(k + 0.5) - density(k)) return static_cast<std::uint64_t>(k);
  }
}

Empirical::Empirical(std::vector<double> values, const std::vector<double>& weights) : values_(std::move(values)) {
  require_option(weights.size() == values_.size(), "weights", weights.size(), "must be as many as the values");
  double sum = 0;
  for (const double weight : weights) {
    require_option(weight >= 0, "weight", weight, "must not be negative");
    cumulative_.push_back(sum += weight);
  }
  require_option(sum > 0 && sum < infinity, "sum of weights", sum, "must be positive and finite");
}

Empirical::Empirical(std::vector<double> observations) {
  const std::vector<double> weights(observations.size(), 1.0);
  *this = Empirical(std::move(observations), weights);
}

template <class Random>
double Empirical::operator()(Random& random) const {
  const double drawn = random.unit() * cumulative_.back();
  const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end(), drawn);
  return values_[static_cast<std::size_t>(place - cumulative_.begin())];
}

template double uniform(SeededRandom&, double, double);
template double uniform(RandomStream&, double, double);
template double exponential(SeededRandom&, double);
template double exponential(RandomStream&, double);
template double normal(SeededRandom&, double, double);
template double normal(RandomStream&, double, double);
template double gamma(SeededRandom&, double, double);
template double gamma(RandomStream&, double, double);
template std::uint64_t poisson(SeededRandom&, double);
template std::uint64_t poisson(RandomStream&, double);
template std::uint64_t Zipf::operator()(SeededRandom&) const;
template std::uint64_t Zipf::operator()(RandomStream&) const;
template double Empirical::operator()(SeededRandom&) const;
template double Empirical::operator()(RandomStream&) const;

}  // namespace laxity
