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

void* operator new(std::size_t size) {
  largest = std::max(largest, size);
  if (void* const memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
