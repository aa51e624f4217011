// Choices from random tables with holes: what is missing never decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/collective/selection/selection.hpp"
#include "laxity/random.hpp"
#include "tests/effort.hpp"

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

Table random_table(SeededRandom& random) {
  Table table;
  table.algorithms = 2 + random.below(5);
  table.patterns.emplace_back("no_delay");
  for (const Pattern pattern : delaying_patterns) {
    if (random.below(3) != 0) table.patterns.emplace_back(name_of(pattern));
  }
  for (std::size_t algorithm = 0; algorithm < table.algorithms; ++algorithm) {
    for (const std::string& pattern : table.patterns) {
      const double typical_us = 1 + 20 * random.unit();
      auto& values = table.delays_us[{algorithm, pattern}];
      for (std::size_t turn = 0; turn < turns; ++turn) values.push_back(typical_us * (0.9 + 0.2 * random.unit()));
    }
  }
  return table;
}

void punch_holes(Table& table, std::uint32_t one_in, SeededRandom& random) {
  for (auto& [place, values] : table.delays_us) {
    if (random.below(one_in) == 0) values.clear();
  }
}

int chosen(const Selection& selection) {
  const Candidate* const best = selection.chosen(ChoiceKind::robust);
  return best == nullptr ? 0 : best->algorithm.id;
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

constexpr std::uint64_t seeds = 100;

TEST(Selection, AChoiceIsFasterThanTheLibrarysOwnUnderTheSharedConditions) {
  std::size_t decided = 0, kept = 0;
  for (std::uint64_t seed = 0; seed < seeds * effort(); ++seed) {
    SeededRandom random(seed);
    Table table = random_table(random);
    punch_holes(table, 3 + random.below(20), random);
    const Selection selection = table.selection();
    const int choice = chosen(selection);
    (choice == 0 ? kept : decided) += 1;
    if (choice == 0) continue;
    std::vector<std::size_t> contenders;
    for (std::size_t each = 0; each < table.algorithms; ++each) {
      if (2 * table.measured(each) >= table.patterns.size()) contenders.push_back(each);
    }
    std::vector<std::string> shared;
    for (const std::string& pattern : table.patterns) {
      if (std::all_of(contenders.begin(), contenders.end(),
                      [&](auto each) { return table.is_measured(each, pattern); })) {
        shared.push_back(pattern);
      }
    }
    ASSERT_EQ(selection.shared, shared.size()) << "seed " << seed;
    ASSERT_GE(2 * shared.size(), table.patterns.size()) << "seed " << seed;
    const double own = mean_of(table, 0, contenders, shared);
    const double best = mean_of(table, static_cast<std::size_t>(choice), contenders, shared);
    ASSERT_LT(best, 0.95 * own) << "seed " << seed;
    const Cost& cost = *selection.chosen(ChoiceKind::robust)->cost(ChoiceKind::robust);
    ASSERT_NEAR(cost.ratio.middle, best / own, 1e-9) << "seed " << seed;
    ASSERT_LT(cost.ratio.high, 1) << "seed " << seed;
    for (const std::size_t each : contenders) {
      const double mean = mean_of(table, each, contenders, shared);
      ASSERT_TRUE(mean >= best - 1e-9 || mean > 0.95 * own || each == 0) << "seed " << seed << ", algorithm " << each;
    }
  }
  EXPECT_GT(decided, seeds / 10);
  EXPECT_GT(kept, seeds / 10);
}

// No algorithm wins because the cell of another one is missing.
TEST(Selection, AHoleHasTheEffectOfAConditionThatWasMeasuredForNoAlgorithm) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < seeds * effort(); ++seed) {
    SeededRandom random(seed);
    Table with_hole = random_table(random);
    const std::string pattern = with_hole.patterns[random.below(static_cast<std::uint32_t>(with_hole.patterns.size()))];
    Table without_row = with_hole;
    with_hole.delays_us.at({random.below(static_cast<std::uint32_t>(with_hole.algorithms)), pattern}).clear();
    std::erase(without_row.patterns, pattern);
    if (without_row.patterns.size() < 2) continue;
    const Selection hole = with_hole.selection();
    const Selection row = without_row.selection();
    ASSERT_EQ(chosen(hole), chosen(row)) << "seed " << seed;
    ASSERT_EQ(hole.candidates.size(), row.candidates.size()) << "seed " << seed;
    for (std::size_t at = 0; at < row.candidates.size(); ++at) {
      ASSERT_EQ(hole.candidates[at].cost(ChoiceKind::robust)->value,
                row.candidates[at].cost(ChoiceKind::robust)->value);
    }
    ++compared;
  }
  EXPECT_GT(compared, seeds / 2);
}

TEST(Selection, AnAlgorithmWithFewCellsHasNoEffect) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    Table table = random_table(random);
    if (table.patterns.size() < 3) continue;
    const std::string before = table.selection().reason();
    const std::size_t added = table.algorithms++;
    for (const std::string& pattern : table.patterns) table.delays_us[{added, pattern}] = {};
    table.delays_us[{added, table.patterns.back()}].assign(turns, 0.001);  // the fastest by far, once
    const Selection selection = table.selection();
    ASSERT_EQ(selection.reason(), before) << "seed " << seed;
    ASSERT_EQ(selection.left_out, std::vector<std::string>{std::to_string(added)});
  }
}

TEST(Selection, WithoutTheLibrarysOwnChoiceNothingIsChosen) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    Table table = random_table(random);
    for (const std::string& pattern : table.patterns) table.delays_us[{0, pattern}].clear();
    ASSERT_EQ(chosen(table.selection()), 0) << "seed " << seed;
    ASSERT_FALSE(table.selection().undecided.empty());
  }
}

TEST(Selection, TheOrderOfCellsIsIrrelevant) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SeededRandom random(seed);
    Table table = random_table(random);
    punch_holes(table, 8, random);
    auto cells = table.cells();
    const Selection before = select_algorithms(cells).front();
    for (std::size_t i = cells.size(); i > 1; --i) {
      std::swap(cells[i - 1], cells[random.below(static_cast<std::uint32_t>(i))]);
    }
    ASSERT_EQ(select_algorithms(cells).front().reason(), before.reason()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace laxity::collective
