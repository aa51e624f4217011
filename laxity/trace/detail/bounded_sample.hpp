// A sample of a sequence of any length in bounded memory: every k-th value, where k doubles when the sample is full.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity::trace::detail {

class BoundedSample {
 public:
  static constexpr std::size_t capacity = 64;  ///< values that are kept

  void add(double value) {
    if (number_++ % step_ != 0) return;
    if (values_.size() == capacity) {
      for (std::size_t i = 0; i < capacity / 2; ++i) values_[i] = values_[2 * i];
      values_.resize(capacity / 2);
      step_ *= 2;  // `number_` was a multiple of it, since the capacity is even
    }
    values_.push_back(static_cast<float>(value));
  }

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// The value below which this share of the sample is. There must be a value.
  [[nodiscard]] double quantile(double share) const {
    std::vector<float> values = values_;
    const auto at = values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return *at;
  }

 private:
  std::vector<float> values_;
  std::uint64_t number_ = 0, step_ = 1;
};

}  // namespace laxity::trace::detail
