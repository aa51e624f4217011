// Stands in for the library's header of the same path where benchmarks/counters is compiled without counting: the same
// size and the same calls, which do nothing.
#pragma once

#include <cstdint>

namespace laxity {

class Counter {
 public:
  void add(std::uint64_t = 1) noexcept {}
  void set(std::uint64_t) noexcept {}
  [[nodiscard]] std::uint64_t read() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace laxity
