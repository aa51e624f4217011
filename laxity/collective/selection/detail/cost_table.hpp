// The last delays of the candidates of one size under the conditions that they share, and what follows from them for
// each criterion.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective::detail {

/// One row per candidate, the library's own choice first; one column per condition. Every cell is_measured().
struct CostTable {
  std::vector<std::vector<const Measurement*>> cells;
  std::size_t shared = 0;               ///< the first columns, over which means are taken
  std::optional<std::size_t> no_delay;  ///< the column without delay
  std::vector<double> traced;  ///< weight of each column in the traced application; empty if it was not measured

  /// The mean and the largest normalized last delay of a candidate are over the shared columns.
  struct Row {
    double worst = 0;
    std::size_t worst_column = 0;
    std::array<std::optional<Cost>, all_choice_kinds.size()> costs;
  };
  [[nodiscard]] std::vector<Row> rows() const;
};

}  // namespace laxity::collective::detail
