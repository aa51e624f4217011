// The results of the arrival benchmark on ranks; speed is not tested.
#include "laxity/collective/benchmark/arrival_benchmark.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "laxity/bootstrap.hpp"
#include "laxity/collective/aliases.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

constexpr ArrivalEffort little{.repetitions = 4, .cell_budget_s = 0.02, .turns = 2};

int processes() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

class ArrivalBenchmarkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (library_.obstacle()) GTEST_SKIP() << *library_.obstacle();
  }

  [[nodiscard]] ArrivalBlock block(Collective collective) const {
    ArrivalBlock made{.collective = collective,
                      .bytes = 64,
                      .algorithms = library_.of(collective),
                      .patterns = {Pattern::ascending, Pattern::last_delayed},
                      .custom_patterns = {},
                      .skews = {{.kind = SkewPolicy::Kind::given, .seconds = 200e-6}}};
    std::erase_if(made.algorithms, [&](const Algorithm& algorithm) {
      return !is_usable(library_.library(), library_.version(), collective, algorithm, processes());
    });
    if (made.algorithms.size() > 3) made.algorithms.resize(3);
    return made;
  }

  [[nodiscard]] BlockResult measure(const ArrivalBlock& what, const ArrivalEffort& effort = little) {
    ArrivalBenchmark benchmark(MPI_COMM_WORLD, synchronized_steady_clock(MPI_COMM_WORLD), library_);
    return benchmark.measure(what, effort);
  }

  LibraryAlgorithms library_;
};

const ArrivalCell& cell_of(const BlockResult& result, std::size_t algorithm, const std::string& pattern) {
  const auto found = std::find_if(result.cells.begin(), result.cells.end(), [&](const ArrivalCell& cell) {
    return cell.algorithm == algorithm && cell.pattern == pattern;
  });
  EXPECT_NE(found, result.cells.end()) << pattern;
  return *found;
}

TEST_F(ArrivalBenchmarkTest, EveryRightAlgorithmIsMeasuredUnderEveryPattern) {
  for (const Collective collective : {Collective::reduce, Collective::alltoall, Collective::barrier}) {
    const ArrivalBlock what = block(collective);
    const BlockResult result = measure(what);
    ASSERT_EQ(result.verdicts.size(), what.algorithms.size());
    std::size_t right = 0;
    for (std::size_t algorithm = 0; algorithm < what.algorithms.size(); ++algorithm) {
      EXPECT_NE(result.verdicts[algorithm], Verdict::wrong) << what.algorithms[algorithm].name;
      if (result.verdicts[algorithm] != Verdict::right) continue;
      ++right;
      for (const std::string pattern : {"no_delay", "ascending", "last_delayed"}) {
        EXPECT_FALSE(cell_of(result, algorithm, pattern).repetitions.empty());
      }
    }
    EXPECT_EQ(result.cells.size(), 3 * right);
  }
}

TEST_F(ArrivalBenchmarkTest, ProcessesArriveWithTheSkewOfThePattern) {
  const BlockResult result = measure(block(Collective::reduce));
  const double skew_us = processes() > 1 ? 200 : 0;
  for (const ArrivalCell& cell : result.cells) {
    const double asked_us = cell.pattern == "no_delay" ? 0 : skew_us;
    EXPECT_NEAR(cell.skew_us, asked_us, 1e-9);
    for (const Repetition& repetition : cell.repetitions) {
      EXPECT_GE(repetition.last_delay_us, 0);
      if (!repetition.valid) continue;
      const double apart_us = repetition.total_delay_us - repetition.last_delay_us;
      EXPECT_GE(apart_us, asked_us - cell.tolerance_us - 0.01);
      EXPECT_LE(apart_us, asked_us + cell.tolerance_us + 0.01);
    }
  }
}

// The tolerance is the same for all algorithms, which therefore have equal chances of valid repetitions.
TEST_F(ArrivalBenchmarkTest, TheToleranceGrowsWithTheLengthOfTheCallAndTheSkew) {
  const auto tolerance_us = [&](std::size_t bytes, const std::string& pattern) {
    ArrivalBlock what = block(Collective::allreduce);
    what.bytes = bytes;
    const BlockResult result = measure(what);
    const double first = cell_of(result, result.cells.front().algorithm, pattern).tolerance_us;
    for (const ArrivalCell& cell : result.cells) {
      if (cell.pattern != pattern) continue;
      EXPECT_EQ(cell.tolerance_us, first);
    }
    return first;
  };
  EXPECT_GE(tolerance_us(4, "no_delay"), little.tolerance_us);
  if (processes() == 1) return;
  // No machine adds 4 MiB in less than 50 us, of which the tolerance is a fifth.
  EXPECT_GT(tolerance_us(std::size_t{1} << 22, "no_delay"), 10 * little.tolerance_us);
  EXPECT_GE(tolerance_us(4, "ascending"), little.tolerance_share * 200);
}

TEST_F(ArrivalBenchmarkTest, TheLibrarysOwnChoiceIsMeasuredLikeAnAlgorithm) {
  ArrivalBlock what = block(Collective::reduce);
  what.algorithms.insert(what.algorithms.begin(), {0, "library"});
  const BlockResult result = measure(what);
  ASSERT_EQ(result.verdicts.front(), Verdict::right);
  EXPECT_FALSE(cell_of(result, 0, "last_delayed").repetitions.empty());
}

// Calls that take longer than the whole budget of a cell are measured as often as a choice needs.
TEST_F(ArrivalBenchmarkTest, ACellIsTriedInEnoughTurnsForAChoiceWhateverItsBudget) {
  ArrivalEffort effort{.repetitions = 12, .cell_budget_s = 1e-9, .turns = 12};
  effort.tolerance_us = 1e9;  // every repetition is valid
  for (const ArrivalCell& cell : measure(block(Collective::reduce), effort).cells) {
    std::set<int> turns;
    for (const Repetition& repetition : cell.repetitions) turns.insert(repetition.turn);
    EXPECT_EQ(turns.size(), min_values_for_interval) << cell.pattern;
    EXPECT_EQ(cell.repetitions.size(), turns.size()) << cell.pattern;
    EXPECT_GT(*turns.rbegin(), effort.turns / 2) << "they are spread over the run";
  }
}

TEST_F(ArrivalBenchmarkTest, APatternIsMeasuredAtEachSkew) {
  ArrivalBlock what = block(Collective::reduce);
  what.skews = {{.kind = SkewPolicy::Kind::given, .seconds = 50e-6},
                {.kind = SkewPolicy::Kind::given, .seconds = 90e-6}};
  std::vector<double> skews_us;
  for (const ArrivalCell& cell : measure(what).cells) {
    if (cell.algorithm == 0 && cell.pattern == "ascending") skews_us.push_back(cell.skew_us);
  }
  ASSERT_EQ(skews_us.size(), 2U);
  EXPECT_NEAR(skews_us[1] - skews_us[0], processes() > 1 ? 40 : 0, 1e-6);
}

TEST_F(ArrivalBenchmarkTest, ResultsAreTheSameOnAllProcesses) {
  const BlockResult result = measure(block(Collective::reduce));
  std::vector<double> numbers;
  for (const ArrivalCell& cell : result.cells) {
    for (const Repetition& repetition : cell.repetitions) numbers.push_back(repetition.last_delay_us);
  }
  auto most = static_cast<int>(numbers.size());
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  ASSERT_EQ(most, static_cast<int>(numbers.size()));
  std::vector<double> largest(numbers.size());
  MPI_Allreduce(numbers.data(), largest.data(), most, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(numbers, largest);
}

TEST_F(ArrivalBenchmarkTest, CustomPatternsKeepTheirDelays) {
  ArrivalBlock what = block(Collective::allreduce);
  what.patterns.clear();
  what.custom_patterns = {make_pattern(Pattern::descending, processes(), 90e-6)};
  what.custom_patterns.front().name = "of_an_application";
  const BlockResult result = measure(what);
  EXPECT_NEAR(cell_of(result, result.cells.front().algorithm, "of_an_application").skew_us, processes() > 1 ? 90 : 0,
              1e-9);
}

TEST_F(ArrivalBenchmarkTest, RefusesAPatternForAnotherNumberOfProcesses) {
  ArrivalBlock what = block(Collective::reduce);
  what.custom_patterns = {make_pattern(Pattern::ascending, processes() + 1, 1e-6)};
  EXPECT_THROW((void)measure(what), UsageError);
}

TEST_F(ArrivalBenchmarkTest, RefusesInvalidEffort) {
  ArrivalEffort none = little;
  none.repetitions = 0;
  EXPECT_THROW((void)measure(block(Collective::reduce), none), UsageError);
}

}  // namespace
}  // namespace laxity::collective
