#include "tests/property/largest_allocation.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace {
thread_local std::size_t largest = 0;
}  // namespace

namespace laxity {
std::size_t take_largest_allocation() noexcept { return std::exchange(largest, 0); }
}  // namespace laxity

// The throwing and the plain form both, as every form of delete has to fit the new that it is given: std::stable_sort
// takes its buffer by the plain one.
void* operator new(std::size_t size, const std::nothrow_t& /*plain*/) noexcept {
  largest = std::max(largest, size);
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
