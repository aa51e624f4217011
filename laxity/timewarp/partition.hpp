// The partition of the logical processes among the workers: contiguous blocks whose sizes differ by at most one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

class Partition {
 public:
  Partition(LpId logical_processes, int workers) noexcept
      : larger_size_(logical_processes / static_cast<LpId>(workers) + 1),
        larger_(logical_processes % static_cast<LpId>(workers)),
        in_larger_(larger_size_ * larger_),
        smaller_size_(std::max(larger_size_ - 1, LpId{1})),
        all_(logical_processes),
        workers_(workers) {}

  [[nodiscard]] int workers() const noexcept { return workers_; }
  [[nodiscard]] int worker_of(LpId lp) const noexcept {
    return static_cast<int>(lp < in_larger_ ? lp / larger_size_ : larger_ + (lp - in_larger_) / smaller_size_);
  }
  [[nodiscard]] LpId first(int worker) const noexcept {
    const auto number = static_cast<LpId>(worker);
    return number <= larger_ ? number * larger_size_
                             : std::min(in_larger_ + (number - larger_) * (larger_size_ - 1), all_);
  }
  /// Number of processes of this worker; none only if there are fewer processes than workers.
  [[nodiscard]] LpId size(int worker) const noexcept { return first(worker + 1) - first(worker); }

 private:
  LpId larger_size_;   // of the blocks of the first workers
  LpId larger_;        // number of these blocks
  LpId in_larger_;     // processes in them
  LpId smaller_size_;  // of the other blocks; 1 if they are empty
  LpId all_;
  int workers_;
};

}  // namespace laxity::timewarp
