// What a model collects of its committed events: tallies, histograms and time series, beside plain counts.
//
//   struct Collectors {
//     std::uint64_t served = 0;
//     Tally waits;
//     Histogram<20> queue{0, 20};
//     void merge(const Collectors& other) {
//       served += other.served;
//       waits.merge(other.waits);
//       queue.merge(other.queue);
//     }
//   };
//
// Every worker has its own, to which commit() adds; the result of the run has the merged ones. All are exact: they
// count integers, or sum doubles without rounding (exact_sum.hpp), so that every engine, every number of workers and
// every order of commits gives the same bits. What was not added to changes nothing when it is merged.
//
// All are trivially copyable. Threads: any, each with its own. Elsewhere: the collectors of a model (model.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "laxity/exact_sum.hpp"
#include "laxity/require_option.hpp"

namespace laxity::timewarp {

/// Number, mean, variance and extremes of values that were observed.
class Tally {
 public:
  /// Throws UsageError unless |value| <= 1e140.
  void add(double value) {
    require_option(std::abs(value) <= 1e140, "value", value, "must be a number of at most 1e140");
    ++count_;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    sum_.add(value);
    squares_.add_product(value, value);
  }
  void merge(const Tally& other) noexcept {
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    sum_.merge(other.sum_);
    squares_.merge(other.squares_);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] double sum() const noexcept { return sum_.value(); }
  /// Not a number if there is no value; so are min() and max() infinite.
  [[nodiscard]] double mean() const noexcept { return sum_.value() / static_cast<double>(count_); }
  [[nodiscard]] double min() const noexcept { return min_; }
  [[nodiscard]] double max() const noexcept { return max_; }
  /// Of a sample: the divisor is count() - 1. Not a number if there are fewer than two values.
  [[nodiscard]] double variance() const {
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
    // The sum of (value - mean)^2, expanded, without rounding: squares - 2 mean sum + count mean^2.
    const double number = static_cast<double>(count_), mean = this->mean(), sum = sum_.value();
    ExactSum rest = sum_;
    rest.add(-sum);
    ExactSum squares = squares_;
    squares.add_product(-2 * mean, sum);
    squares.add_product(-2 * mean, rest.value());
    const double product = number * mean;
    squares.add_product(product, mean);
    squares.add_product(std::fma(number, mean, -product), mean);
    return std::max(0.0, squares.value()) / (number - 1);
  }

  bool operator==(const Tally&) const = default;

 private:
  std::uint64_t count_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  ExactSum sum_, squares_;
};

/// Numbers of values in `bins` intervals of equal width, and below and above all of them.
template <std::size_t bins>
class Histogram {
 public:
  /// From `low`, included, to `high`, excluded. Throws UsageError unless both are finite and low < high.
  Histogram(double low, double high) : low_(low), width_((high - low) / bins) {
    require_option(std::isfinite(low), "low", low, "must be finite");
    require_option(std::isfinite(high) && low < high, "high", high, "must be finite and above low");
  }

  /// Throws UsageError if the value is not a number.
  void add(double value) {
    require_option(!std::isnan(value), "value", value, "must be a number");
    const double bin = (value - low_) / width_;
    if (bin < 0) {
      ++below_;
    } else if (bin >= bins) {
      ++above_;
    } else {
      ++counts_[static_cast<std::size_t>(bin)];
    }
  }
  /// Throws UsageError if the other one has other bounds.
  void merge(const Histogram& other) {
    require_option(low_ == other.low_ && width_ == other.width_, "low", other.low_, "histograms with other bounds");
    for (std::size_t i = 0; i < bins; ++i) counts_[i] += other.counts_[i];
    below_ += other.below_;
    above_ += other.above_;
  }

  [[nodiscard]] std::uint64_t count(std::size_t bin) const noexcept { return counts_[bin]; }
  [[nodiscard]] std::uint64_t below() const noexcept { return below_; }
  [[nodiscard]] std::uint64_t above() const noexcept { return above_; }
  /// Of all values, those below and above included.
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t total = below_ + above_;
    for (const std::uint64_t count : counts_) total += count;
    return total;
  }
  /// The lower bound of each interval and its number of values, for ComparedRun::report().
  [[nodiscard]] std::vector<std::pair<double, double>> points() const {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < bins; ++i)
      points.emplace_back(low_ + width_ * static_cast<double>(i), static_cast<double>(counts_[i]));
    return points;
  }

  bool operator==(const Histogram&) const = default;

 private:
  double low_, width_;
  std::uint64_t below_ = 0, above_ = 0;
  std::array<std::uint64_t, bins> counts_{};
};

/// Sums of amounts over simulated time, by `intervals` intervals of equal length. `Amount`: std::int64_t, or double.
template <std::size_t intervals, class Amount = std::int64_t>
  requires std::same_as<Amount, std::int64_t> || std::same_as<Amount, double>
class TimeSeries {
 public:
  /// From time 0 to `end`, excluded. Throws UsageError unless it is positive and finite.
  explicit TimeSeries(double end) : length_(end / intervals) {
    require_option(end > 0 && std::isfinite(end), "end", end, "must be positive and finite");
  }

  /// Adds to the interval that contains this time; the last one also contains all later times. Throws UsageError if the
  /// time is negative or not a number, or the amount is infinite or not a number.
  void add(double time, Amount amount = 1) {
    require_option(time >= 0, "time", time, "must not be negative");
    const auto interval = static_cast<std::size_t>(std::min(time / length_, static_cast<double>(intervals - 1)));
    if constexpr (std::same_as<Amount, double>) {
      sums_[interval].add(amount);
    } else {
      sums_[interval] += amount;
    }
  }
  /// Throws UsageError if the other one has another end.
  void merge(const TimeSeries& other) {
    require_option(length_ == other.length_, "end", other.length_ * intervals, "time series with other ends");
    for (std::size_t i = 0; i < intervals; ++i) {
      if constexpr (std::same_as<Amount, double>) {
        sums_[i].merge(other.sums_[i]);
      } else {
        sums_[i] += other.sums_[i];
      }
    }
  }

  /// The sum of what was added in an interval.
  [[nodiscard]] Amount operator[](std::size_t interval) const noexcept {
    if constexpr (std::same_as<Amount, double>) {
      return sums_[interval].value();
    } else {
      return sums_[interval];
    }
  }
  /// The begin of each interval and its sum, for ComparedRun::report().
  [[nodiscard]] std::vector<std::pair<double, double>> points() const {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < intervals; ++i)
      points.emplace_back(length_ * static_cast<double>(i), static_cast<double>((*this)[i]));
    return points;
  }

  bool operator==(const TimeSeries&) const = default;

 private:
  using Sum = std::conditional_t<std::same_as<Amount, double>, ExactSum, std::int64_t>;

  double length_;
  std::array<Sum, intervals> sums_{};
};

}  // namespace laxity::timewarp
