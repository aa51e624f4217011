// A range whose values are computed from their indices: the nodes of a part, the inputs and outputs of a node.
//
// Models std::ranges::input_range and sized_range, so ranged for, std::ranges algorithms and views apply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace laxity {

/// Values value_at(0), ..., value_at(size - 1).
template <class ValueAt>
class IndexedRange {
 public:
  class Sentinel;
  class Iterator {
   public:
    using value_type = decltype(std::declval<const ValueAt&>()(std::uint32_t{}));
    using difference_type = std::ptrdiff_t;

    explicit Iterator(const ValueAt& value_at) noexcept : value_at_(value_at) {}
    value_type operator*() const noexcept { return value_at_(index_); }
    Iterator& operator++() noexcept { return ++index_, *this; }
    void operator++(int) noexcept { ++index_; }
    bool operator==(const Sentinel& end) const noexcept { return index_ == end.size; }

   private:
    ValueAt value_at_;
    std::uint32_t index_ = 0;
  };
  class Sentinel {
   public:
    std::uint32_t size = 0;
  };

  IndexedRange(const ValueAt& value_at, std::uint32_t size) noexcept : value_at_(value_at), size_(size) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] auto operator[](std::uint32_t k) const noexcept { return value_at_(k); }
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(value_at_); }
  [[nodiscard]] Sentinel end() const noexcept { return {size_}; }

 private:
  ValueAt value_at_;
  std::uint32_t size_;
};

}  // namespace laxity
