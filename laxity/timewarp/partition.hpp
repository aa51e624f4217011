// The partition of the logical processes among the workers: contiguous blocks of nearly equal size.
#pragma once

#include <cstdint>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

class Partition {
 public:
  Partition(LpId logical_processes, int workers) noexcept
      : all_(logical_processes),
        block_(logical_processes / static_cast<LpId>(workers) + (logical_processes % static_cast<LpId>(workers) != 0)),
        workers_(workers) {}

  [[nodiscard]] int workers() const noexcept { return workers_; }
  [[nodiscard]] int worker_of(LpId lp) const noexcept { return static_cast<int>(lp / block_); }
  [[nodiscard]] LpId first(int worker) const noexcept {
    const std::uint64_t first = std::uint64_t{block_} * static_cast<std::uint64_t>(worker);
    return first < all_ ? static_cast<LpId>(first) : all_;
  }
  /// Number of processes of this worker; the last workers may have fewer, or none.
  [[nodiscard]] LpId size(int worker) const noexcept { return first(worker + 1) - first(worker); }

 private:
  LpId all_;
  LpId block_;
  int workers_;
};

}  // namespace laxity::timewarp
