// The robust choice for random tables equals a direct computation of the means.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/collective/selection/selection.hpp"
#include "laxity/random.hpp"
#include "tests/effort.hpp"

namespace laxity::collective {
namespace {

struct Table {
  int algorithms;
  std::vector<std::string> patterns;
  std::vector<std::vector<double>> delay;  // [algorithm][pattern]
};

Table random_table(SeededRandom& random) {
  Table table;
  table.algorithms = 1 + static_cast<int>(random.below(9));
  table.patterns.emplace_back("no_delay");
  for (const Pattern pattern : delaying_patterns) {
    if (random.below(3) != 0) table.patterns.emplace_back(name_of(pattern));
  }
  table.delay.resize(static_cast<std::size_t>(table.algorithms));
  for (auto& row : table.delay) {
    for (std::size_t i = 0; i < table.patterns.size(); ++i) row.push_back(0.1 + 100 * random.unit());
  }
  return table;
}

std::vector<Measurement> cells_of(const Table& table) {
  std::vector<Measurement> cells;
  for (std::size_t a = 0; a < table.delay.size(); ++a) {
    for (std::size_t p = 0; p < table.patterns.size(); ++p) {
      cells.push_back({.collective = Collective::alltoall,
                       .algorithm = {static_cast<int>(a) + 1, std::to_string(a + 1)},
                       .library = "x",
                       .processes = 8,
                       .bytes = 4,
                       .pattern = table.patterns[p],
                       .skew_us = 1,
                       .repetitions = 1,
                       .last_delay_us = table.delay[a][p]});
    }
  }
  return cells;
}

// The mean over the patterns of an algorithm's delay divided by the smallest delay of the pattern.
std::vector<double> averages(const Table& table) {
  std::vector<double> means(table.delay.size(), 0.0);
  for (std::size_t p = 0; p < table.patterns.size(); ++p) {
    double smallest = table.delay[0][p];
    for (const auto& row : table.delay) smallest = std::min(smallest, row[p]);
    for (std::size_t a = 0; a < means.size(); ++a) {
      means[a] += table.delay[a][p] / smallest / static_cast<double>(table.patterns.size());
    }
  }
  return means;
}

TEST(Selection, TheRobustChoiceHasTheSmallestMean) {
  for (std::uint64_t seed = 0; seed < std::uint64_t{2000} * effort(); ++seed) {
    SeededRandom random(seed);
    const Table table = random_table(random);
    const Selection selection = select_algorithms(cells_of(table)).made.front();
    const auto means = averages(table);
    const double best = *std::min_element(means.begin(), means.end());
    const double chosen = means[static_cast<std::size_t>(selection.robust().algorithm.id) - 1];
    ASSERT_LE(chosen, 1.05 * best) << "seed " << seed;
    ASSERT_LE(chosen, best * (1 + 1e-12)) << "seed " << seed;
    ASSERT_NEAR(selection.robust().mean, chosen, 1e-9 * chosen) << "seed " << seed;
    ASSERT_EQ(selection.candidates.size(), static_cast<std::size_t>(table.algorithms));
    ASSERT_FALSE(selection.reason().empty());
  }
}

TEST(Selection, TheOrderOfCellsIsIrrelevant) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededRandom random(seed);
    auto cells = cells_of(random_table(random));
    const Selection before = select_algorithms(cells).made.front();
    for (std::size_t i = cells.size(); i > 1; --i) {
      std::swap(cells[i - 1], cells[random.below(static_cast<std::uint32_t>(i))]);
    }
    ASSERT_EQ(select_algorithms(cells).made.front().reason(), before.reason()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace laxity::collective
