// Every metric laxity reports: one list, from which the documentation and the column names are checked.
//
// Elsewhere: the functions (quality_of_service.hpp), the files they are written to (run_tables.hpp).
#pragma once

#include <span>
#include <string_view>

namespace laxity {

struct Metric {
  std::string_view name;     ///< the column in the run directory
  std::string_view unit;     ///< "1" if dimensionless
  std::string_view formula;  ///< Δ: difference of two observations
  std::string_view end;      ///< whose counters it is computed from: sender, receiver, worker or run
  std::string_view source;   ///< where it is defined
};

[[nodiscard]] std::span<const Metric> catalog() noexcept;

/// The metric of that name, or nullptr.
[[nodiscard]] const Metric* find_metric(std::string_view name) noexcept;

}  // namespace laxity
