// Choices from random tables with holes: what is missing never decides.
//
// RapidCheck makes the tables, shrinks a table that violates a property, and prints it with what $RC_PARAMS must be to
// make it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {
namespace {

// A cell has this many turns, or none if it is a hole.
constexpr std::size_t turns = 8;

struct Table {
  std::size_t algorithms = 2;  // 0 is the library's own choice
  std::vector<std::string> patterns;
  std::map<std::pair<std::size_t, std::string>, std::vector<double>> delays_us;  // a hole has none

  [[nodiscard]] bool is_measured(std::size_t algorithm, const std::string& pattern) const {
    return !delays_us.at({algorithm, pattern}).empty();
  }
  [[nodiscard]] std::size_t measured(std::size_t algorithm) const {
    return static_cast<std::size_t>(std::count_if(
        patterns.begin(), patterns.end(), [&](const std::string& pattern) { return is_measured(algorithm, pattern); }));
  }
  [[nodiscard]] std::vector<Measurement> cells() const {
    std::vector<Measurement> cells;
    for (const auto& [place, values] : delays_us) {
      const auto& [algorithm, pattern] = place;
      if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) continue;
      Measurement& cell = cells.emplace_back();
      cell.collective = Collective::alltoall;
      cell.algorithm = {static_cast<int>(algorithm), std::to_string(algorithm)};
      cell.library = "x";
      cell.processes = 8;
      cell.bytes = 4;
      cell.pattern = pattern;
      cell.skew_us = 1;
      cell.repetitions = turns;
      for (std::size_t turn = 0; turn < values.size(); ++turn) cell.delays.push_back({turn, values[turn]});
    }
    return cells;
  }
  [[nodiscard]] Selection selection() const { return select_algorithms(cells()).front(); }
};

// A table without holes: delays of 1 to 21 us, of which the turns of a cell differ by up to 10 %.
Table draw_table() {
  Table table;
  table.algorithms = *rc::gen::inRange<std::size_t>(2, 7);
  table.patterns.emplace_back("no_delay");
  for (const Pattern pattern : delaying_patterns) {
    if (*rc::gen::inRange(0, 3) != 0) table.patterns.emplace_back(name_of(pattern));
  }
  for (std::size_t algorithm = 0; algorithm < table.algorithms; ++algorithm) {
    for (const std::string& pattern : table.patterns) {
      const int typical_ns = *rc::gen::inRange(1'000, 21'000);
      for (const int percent : *rc::gen::container<std::vector<int>>(turns, rc::gen::inRange(90, 111))) {
        table.delays_us[{algorithm, pattern}].push_back(typical_ns * 1e-3 * percent * 1e-2);
      }
    }
  }
  return table;
}

// RapidCheck draws from small ranges first; tables are of full size from the first on.
rc::Gen<Table> tables() { return rc::gen::resize(rc::kNominalSize, rc::gen::exec(&draw_table)); }

// One cell in 3 to 22 is a hole.
rc::Gen<Table> tables_with_holes() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec([] {
                           Table table = draw_table();
                           const int one_in = *rc::gen::inRange(3, 23);
                           for (auto& [place, values] : table.delays_us) {
                             if (*rc::gen::inRange(0, one_in) == 0) values.clear();
                           }
                           return table;
                         }));
}

std::size_t any_below(std::size_t count) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, count));
}

// RapidCheck prints a table by this.
std::ostream& operator<<(std::ostream& out, const Table& table) {
  for (const auto& [place, values] : table.delays_us) {
    out << "\nalgorithm " << place.first << ", " << place.second << ':';
    for (const double value : values) out << ' ' << value;
    if (values.empty()) out << " a hole";
  }
  return out;
}

int chosen(const Selection& selection) {
  const Candidate* const best = selection.chosen(ChoiceKind::robust);
  return best == nullptr ? 0 : best->algorithm.id;
}

const Cost& robust_cost(const Selection& selection, std::size_t algorithm) {
  const auto found = std::find_if(selection.candidates.begin(), selection.candidates.end(), [&](const Candidate& each) {
    return each.algorithm.id == static_cast<int>(algorithm);
  });
  RC_ASSERT(found != selection.candidates.end());
  return *found->cost(ChoiceKind::robust);
}

double median_us(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[turns / 2 - 1] + values[turns / 2]) / 2;
}

// The mean over the patterns of an algorithm's median delay divided by the smallest one of `algorithms`.
double mean_of(const Table& table, std::size_t algorithm, const std::vector<std::size_t>& algorithms,
               const std::vector<std::string>& patterns) {
  double sum = 0;
  for (const std::string& pattern : patterns) {
    double smallest = median_us(table.delays_us.at({algorithm, pattern}));
    for (const std::size_t each : algorithms) {
      smallest = std::min(smallest, median_us(table.delays_us.at({each, pattern})));
    }
    sum += median_us(table.delays_us.at({algorithm, pattern})) / smallest;
  }
  return sum / static_cast<double>(patterns.size());
}

// The means of all contenders under the conditions that they share, computed here once more, agree with the choice.
void check_decision(const Table& table, const Selection& selection) {
  constexpr double rounding = 1e-9;
  std::vector<std::size_t> contenders;
  for (std::size_t each = 0; each < table.algorithms; ++each) {
    if (2 * table.measured(each) >= table.patterns.size()) contenders.push_back(each);
  }
  std::vector<std::string> shared;
  for (const std::string& pattern : table.patterns) {
    const auto is_measured = [&](std::size_t each) { return table.is_measured(each, pattern); };
    if (std::all_of(contenders.begin(), contenders.end(), is_measured)) shared.push_back(pattern);
  }
  RC_ASSERT(selection.shared == shared.size());
  RC_ASSERT(2 * shared.size() >= table.patterns.size());
  RC_ASSERT(selection.candidates.size() == contenders.size());
  const auto choice = static_cast<std::size_t>(chosen(selection));
  const double own = mean_of(table, 0, contenders, shared);
  const double best = mean_of(table, choice, contenders, shared);
  for (const std::size_t each : contenders) {
    const double mean = mean_of(table, each, contenders, shared);
    const Cost& cost = robust_cost(selection, each);
    RC_ASSERT(std::abs(cost.value - mean) < rounding);
    RC_ASSERT(std::abs(cost.ratio.middle - mean / own) < rounding);
    // An algorithm of smaller mean was passed over only because it is not surely faster than the library's own choice.
    RC_ASSERT(mean >= best - rounding || mean > 0.95 * own - rounding || cost.ratio.high >= 1);
  }
  if (choice == 0) return;
  RC_ASSERT(best < 0.95 * own + rounding);
  RC_ASSERT(robust_cost(selection, choice).ratio.high < 1);
}

TEST(Selection, AChoiceIsFasterThanTheLibrarysOwnUnderTheSharedConditions) {
  std::size_t changed = 0, kept = 0, undecided = 0;
  EXPECT_TRUE(rc::check([&] {
    const Table table = *tables_with_holes();
    const Selection selection = table.selection();
    if (selection.undecided.empty()) {
      check_decision(table, selection);
      (chosen(selection) == 0 ? kept : changed) += 1;
    } else {
      RC_ASSERT(chosen(selection) == 0);
      ++undecided;
    }
  }));
  // The tables are of all three kinds, each often.
  EXPECT_GT(changed, 10U);
  EXPECT_GT(kept, 10U);
  EXPECT_GT(undecided, 10U);
}

// No algorithm wins because the cell of another one is missing.
TEST(Selection, AHoleHasTheEffectOfAConditionThatWasMeasuredForNoAlgorithm) {
  EXPECT_TRUE(rc::check([] {
    Table with_hole = *tables();
    RC_PRE(with_hole.patterns.size() > 2);
    Table without_row = with_hole;
    const std::string pattern = with_hole.patterns[any_below(with_hole.patterns.size())];
    with_hole.delays_us.at({any_below(with_hole.algorithms), pattern}).clear();
    std::erase(without_row.patterns, pattern);
    const Selection hole = with_hole.selection();
    const Selection row = without_row.selection();
    RC_ASSERT(chosen(hole) == chosen(row));
    RC_ASSERT(hole.candidates.size() == with_hole.algorithms);
    for (std::size_t each = 0; each < with_hole.algorithms; ++each) {
      RC_ASSERT(robust_cost(hole, each).value == robust_cost(row, each).value);
    }
  }));
}

TEST(Selection, AnAlgorithmWithFewCellsHasNoEffect) {
  EXPECT_TRUE(rc::check([] {
    Table table = *tables();
    RC_PRE(table.patterns.size() > 2);
    const std::string before = table.selection().reason();
    const std::size_t added = table.algorithms++;
    for (const std::string& pattern : table.patterns) table.delays_us[{added, pattern}] = {};
    table.delays_us[{added, table.patterns.back()}].assign(turns, 0.001);  // the fastest by far, once
    const Selection selection = table.selection();
    RC_ASSERT(selection.reason() == before);
    RC_ASSERT(selection.left_out == std::vector<std::string>{std::to_string(added)});
  }));
}

TEST(Selection, WithoutTheLibrarysOwnChoiceNothingIsChosen) {
  EXPECT_TRUE(rc::check([] {
    Table table = *tables();
    for (const std::string& pattern : table.patterns) table.delays_us[{0, pattern}].clear();
    RC_ASSERT(chosen(table.selection()) == 0);
    RC_ASSERT(!table.selection().undecided.empty());
  }));
}

TEST(Selection, TheOrderOfCellsIsIrrelevant) {
  EXPECT_TRUE(rc::check([] {
    auto cells = (*tables_with_holes()).cells();
    const Selection before = select_algorithms(cells).front();
    for (std::size_t left = cells.size(); left > 1; --left) std::swap(cells[left - 1], cells[any_below(left)]);
    RC_ASSERT(select_algorithms(cells).front().reason() == before.reason());
  }));
}

}  // namespace
}  // namespace laxity::collective
