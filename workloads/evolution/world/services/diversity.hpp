// Lineages that are too common lose resource, so that no ancestor's descendants take the world.
//
//   stockpile <- stockpile * max(1 - (n - m) / m, 0) where n cells of the worker are of the lineage,
//   and n > m = max_lineage * live cells of the worker
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

class Diversity {
 public:
  /// Counts the lineages of all cells.
  void count(const std::vector<Cell>& cells, double max_share) {
    lineages_.clear();
    for (const Cell& cell : cells) {
      if (cell.alive) lineages_.push_back(cell.genome.descent.lineage);
    }
    std::ranges::sort(lineages_);
    max_cells_ = static_cast<std::size_t>(max_share * static_cast<double>(lineages_.size()));
  }

  void maintain(Cell& cell, ServiceContext& context) const noexcept {
    const auto same = std::ranges::equal_range(lineages_, cell.genome.descent.lineage);
    if (max_cells_ == 0 || same.size() <= max_cells_) return;
    const auto max = static_cast<double>(max_cells_);
    const double left = cell.stockpile * std::max(1 - (static_cast<double>(same.size()) - max) / max, 0.);
    context.account.add(ResourceTerm::diversity, cell.stockpile - left);
    cell.stockpile = left;
  }

 private:
  std::vector<std::uint64_t> lineages_;  // of all living cells, sorted
  std::size_t max_cells_ = 0;
};

}  // namespace laxity::evolution
