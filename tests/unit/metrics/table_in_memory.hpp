// A counter table in memory of its own, for tests.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>

#include "laxity/metrics/counter_table.hpp"

namespace laxity {

class TableInMemory {
 public:
  TableInMemory(int workers, std::size_t max_links) {
    const std::size_t bytes = (CounterTable::bytes_needed(workers, max_links) + 63) / 64 * 64;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, bytes)));
    std::memset(memory_.get(), 0, bytes);
    table = CounterTable::create(memory_.get(), workers, max_links);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;

 public:
  CounterTable table = CounterTable::attach(nullptr);
};

}  // namespace laxity
