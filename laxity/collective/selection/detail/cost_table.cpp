#include "laxity/collective/selection/detail/cost_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "laxity/median.hpp"

namespace laxity::collective::detail {
namespace {

using Table = std::vector<std::vector<double>>;  // [candidate][column], us
using Turns = std::vector<std::size_t>;          // the numbers of some turns, with repetition

// The last delay divided by a reference. If that is 0, the result is 1 plus the delay in microseconds.
double normalized(double delay_us, double reference_us) {
  return reference_us > 0 ? delay_us / reference_us : 1 + delay_us;
}

Table normalized_columns(const Table& delays_us, std::size_t columns) {
  Table ratios(delays_us.size(), std::vector<double>(columns));
  for (std::size_t column = 0; column < columns; ++column) {
    double smallest = delays_us.front()[column];
    for (const auto& row : delays_us) smallest = std::min(smallest, row[column]);
    for (std::size_t row = 0; row < delays_us.size(); ++row) {
      ratios[row][column] = normalized(delays_us[row][column], smallest);
    }
  }
  return ratios;
}

// The value of each candidate by one criterion; empty if it was not measured.
std::vector<double> values(const CostTable& table, const Table& delays_us, ChoiceKind kind) {
  std::vector<double> result;
  switch (kind) {
    case ChoiceKind::robust:
      for (const auto& row : normalized_columns(delays_us, table.shared)) {
        result.push_back(std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(table.shared));
      }
      break;
    case ChoiceKind::no_delay:
      if (!table.no_delay) break;
      for (const auto& row : delays_us) result.push_back(row[*table.no_delay]);
      break;
    case ChoiceKind::traced:
      if (table.traced.empty()) break;
      for (const auto& row : delays_us) {
        result.push_back(std::inner_product(row.begin(), row.end(), table.traced.begin(), 0.0));
      }
      break;
  }
  return result;
}

// The valid last delays of each cell by turn, which are resampled.
class DelaysByTurn {
 public:
  explicit DelaysByTurn(const CostTable& table) {
    std::map<std::size_t, std::size_t> number;  // of each turn that has a valid repetition
    for (const auto& row : table.cells) {
      for (const Measurement* cell : row) {
        for (const ValidDelay& delay : cell->delays) number.emplace(delay.turn, 0);
      }
    }
    for (auto& [turn, at] : number) at = turns_++;
    for (const auto& row : table.cells) {
      auto& cells = cells_.emplace_back();
      for (const Measurement* cell : row) {
        auto& by_turn = cells.emplace_back(turns_);
        for (const ValidDelay& delay : cell->delays) by_turn[number.at(delay.turn)].push_back(delay.last_delay_us);
      }
    }
  }

  [[nodiscard]] std::size_t turns() const noexcept { return turns_; }
  [[nodiscard]] Turns all() const {
    Turns all(turns_);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  [[nodiscard]] Table medians(const Turns& drawn) const {
    Table medians;
    for (const auto& row : cells_) {
      auto& delays_us = medians.emplace_back();
      for (const auto& cell : row) delays_us.push_back(median_of(cell, drawn));
    }
    return medians;
  }

 private:
  using Cell = std::vector<std::vector<double>>;  // [turn]

  // Of all turns if the cell has no valid repetition in those drawn.
  [[nodiscard]] double median_of(const Cell& cell, const Turns& drawn) const {
    std::vector<double> delays_us;
    for (const std::size_t turn : drawn) delays_us.insert(delays_us.end(), cell[turn].begin(), cell[turn].end());
    return delays_us.empty() ? median_of(cell, all()) : median(std::move(delays_us));
  }

  std::size_t turns_ = 0;
  std::vector<std::vector<Cell>> cells_;  // [candidate][column]
};

}  // namespace

std::vector<CostTable::Row> CostTable::rows() const {
  constexpr std::size_t resamples = 1000;
  constexpr std::uint64_t seed = 1;
  const DelaysByTurn delays(*this);
  const Table medians_us = delays.medians(delays.all());
  std::vector<Row> rows(cells.size());
  const Table ratios = normalized_columns(medians_us, shared);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto worst = std::max_element(ratios[at].begin(), ratios[at].end());
    rows[at].worst = *worst;
    rows[at].worst_column = static_cast<std::size_t>(worst - ratios[at].begin());
  }
  std::array<Table, all_choice_kinds.size()> resampled;  // of each kind: the ratios of each candidate
  for (Table& of_kind : resampled) of_kind.resize(cells.size());
  const auto for_each_ratio = [&](const Table& delays_us, auto visit) {
    for (const ChoiceKind kind : all_choice_kinds) {
      const std::vector<double> costs = values(*this, delays_us, kind);
      for (std::size_t at = 0; at < costs.size(); ++at) visit(kind, at, costs[at], normalized(costs[at], costs[0]));
    }
  };
  resample_rounds(delays.turns(), resamples, seed, [&](const Turns& drawn) {
    for_each_ratio(delays.medians(drawn), [&](ChoiceKind kind, std::size_t at, double, double ratio) {
      resampled[static_cast<std::size_t>(kind)][at].push_back(ratio);
    });
  });
  const double error = 0.05 / std::max(1.0, static_cast<double>(cells.size()) - 1);
  for_each_ratio(medians_us, [&](ChoiceKind kind, std::size_t at, double value, double ratio) {
    const auto of_kind = static_cast<std::size_t>(kind);
    rows[at].costs[of_kind] = {value, percentile_interval(ratio, std::move(resampled[of_kind][at]), error)};
  });
  return rows;
}

}  // namespace laxity::collective::detail
