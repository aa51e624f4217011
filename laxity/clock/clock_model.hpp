// The linear model of one clock as a function of another: an offset and a drift.
//
// Source: Hunold and Carpen-Amarie, Hierarchical clock synchronization in MPI (CLUSTER 2018).
// Invariants: a model is increasing (drift > -1), so a modeled clock never goes back; to_local is the inverse of
// to_global within 1 ns.
// Threads: any. Elsewhere: estimating a model (offset_bounds.hpp, mpi_sync.hpp).
#pragma once

#include <cmath>
#include <cstdint>

#include "laxity/clock/clock.hpp"

namespace laxity {

/// global = local + offset_ns + drift * (local - origin_ns). The default is the identity.
struct ClockModel {
  std::int64_t origin_ns = 0;  ///< local time at which the offset holds
  double offset_ns = 0;        ///< global - local at origin_ns
  double drift = 0;            ///< ns per ns by which the global clock is faster; 1e-6 is 1 ppm

  [[nodiscard]] std::int64_t to_global(std::int64_t local_ns) const noexcept {
    return local_ns + std::llrint(offset_ns + drift * static_cast<double>(local_ns - origin_ns));
  }
  [[nodiscard]] std::int64_t to_local(std::int64_t global_ns) const noexcept {
    return global_ns - std::llrint((offset_ns + drift * static_cast<double>(global_ns - origin_ns)) / (1 + drift));
  }
};

/// A clock that applies a model to the readings of another: the global clock of a process or, with a random model, a
/// clock with a known error, for tests and for measuring the accuracy of synchronization.
template <Clock C>
class ModeledClock {
 public:
  explicit ModeledClock(C local, const ClockModel& model = {}) : local_(local), model_(model) {}

  [[nodiscard]] std::int64_t now_ns() const noexcept { return model_.to_global(local_.now_ns()); }
  [[nodiscard]] const C& local() const noexcept { return local_; }
  [[nodiscard]] const ClockModel& model() const noexcept { return model_; }

 private:
  C local_;
  ClockModel model_;
};

static_assert(Clock<ModeledClock<ManualClock>>);

/// A random model: offset uniform within +-max_offset_ns, drift within +-max_drift; the same seed gives the same model.
[[nodiscard]] ClockModel random_clock_model(std::uint64_t seed, std::int64_t origin_ns, double max_offset_ns = 1e9,
                                            double max_drift = 50e-6);

}  // namespace laxity
