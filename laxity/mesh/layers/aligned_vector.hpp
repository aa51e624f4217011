// A vector aligned to a cache line, so that vector loads of whole lines do not straddle two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace laxity::detail {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, line); }
  bool operator==(const LineAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace laxity::detail
