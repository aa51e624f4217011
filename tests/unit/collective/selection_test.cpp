#include "laxity/collective/selection/selection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

Measurement cell(int id, const std::string& pattern, double last_delay_us) {
  return {.collective = Collective::reduce,
          .algorithm = {id, "algorithm" + std::to_string(id)},
          .library = "Open MPI 4.1.4",
          .processes = 8,
          .bytes = 1024,
          .pattern = pattern,
          .skew_us = pattern == "no_delay" ? 0.0 : 50.0,
          .repetitions = 30,
          .last_delay_us = last_delay_us};
}

// Normalized rows: (1, 2), (3, 1), (1.5, 1); means 11/6 and 4/3.
std::vector<Measurement> example_cells() {
  return {cell(5, "no_delay", 10),     cell(6, "no_delay", 20), cell(5, "last_delayed", 60),
          cell(6, "last_delayed", 20), cell(5, "bell", 15),     cell(6, "bell", 10)};
}

TEST(Selection, MeansOfNormalizedDelaysMatchTheExample) {
  const auto selections = select_algorithms(example_cells()).made;
  ASSERT_EQ(selections.size(), 1U);
  const Selection& selection = selections.front();
  EXPECT_EQ(selection.patterns, 3U);
  EXPECT_EQ(selection.robust().algorithm.id, 6);
  EXPECT_DOUBLE_EQ(selection.robust().mean, 4.0 / 3);
  EXPECT_DOUBLE_EQ(selection.robust().worst, 2);
  EXPECT_EQ(selection.robust().worst_pattern, "no_delay");
  EXPECT_DOUBLE_EQ(selection.candidates[1].mean, 5.5 / 3);
  ASSERT_TRUE(selection.no_delay.has_value());
  EXPECT_EQ(selection.candidates[*selection.no_delay].algorithm.id, 5);
  EXPECT_FALSE(selection.traced.has_value());
}

TEST(Selection, TheReasonNamesTheChoiceAndTheAlternative) {
  const std::string reason = select_algorithms(example_cells()).made.front().reason();
  EXPECT_EQ(
      reason,
      "reduce, 8 processes, 1024 bytes: algorithm6 (6) has a mean of 1.33 times the smallest last delay over 3 "
      "patterns and "
      "a maximum of 2.00 times under no_delay. Without delay algorithm5 (5) is fastest (10 us against 20 us), but its "
      "mean is 1.83 times and its maximum 3.00 times under last_delayed.");
}

TEST(Selection, TheTracedPatternDecidesTheTracedChoiceOnly) {
  auto cells = example_cells();
  cells.push_back(cell(5, "my_app", 1));
  cells.push_back(cell(6, "my_app", 100));
  const auto selection = select_algorithms(cells, "my_app").made.front();
  EXPECT_EQ(selection.patterns, 3U);
  EXPECT_EQ(selection.robust().algorithm.id, 6);
  ASSERT_TRUE(selection.traced.has_value());
  EXPECT_EQ(selection.candidates[*selection.traced].algorithm.id, 5);
}

TEST(Selection, CallsOfAnApplicationCountUnderTheirNearestConditions) {
  ApplicationCalls calls{
      .collective = Collective::reduce, .processes = 8, .bytes = 1024, .calls_by_condition = {}, .median_skew_us = 7};
  calls.calls_by_condition = {{{"last_delayed", 50.0}, 1}, {{"no_delay", 0.0}, 3}};
  // (60 + 3 * 10) / 4 against (20 + 3 * 20) / 4.
  auto selection = select_algorithms(example_cells(), {}, {calls}).made.front();
  ASSERT_TRUE(selection.traced.has_value());
  EXPECT_EQ(selection.candidates[*selection.traced].algorithm.id, 6);
  EXPECT_DOUBLE_EQ(*selection.candidates[*selection.traced].traced_us, 20);
  EXPECT_NE(
      selection.reason().find("In the application (4 calls, 3 of them nearest to no_delay, median skew 7 us) it is "
                              "the fastest, too (20 us)."),
      std::string::npos)
      << selection.reason();
  calls.calls_by_condition[{"no_delay", 0.0}] = 5;  // (60 + 50) / 6 against (20 + 100) / 6
  selection = select_algorithms(example_cells(), {}, {calls}).made.front();
  EXPECT_EQ(selection.candidates[*selection.traced].algorithm.id, 5);
}

TEST(Selection, TheReasonMentionsAnApplicationSkewFarLargerThanTheMeasuredSkews) {
  const auto reason_at = [](double skew_us) {
    const ApplicationCalls calls{.collective = Collective::reduce,
                                 .processes = 8,
                                 .bytes = 1024,
                                 .calls_by_condition = {{{"bell", 50.0}, 2}, {{"no_delay", 0.0}, 1}},
                                 .median_skew_us = skew_us};
    return select_algorithms(example_cells(), {}, {calls}).made.front().reason();
  };
  EXPECT_TRUE(
      reason_at(201).ends_with("Its skew is far larger than the measured skews: measure with a skew of 201 us."));
  EXPECT_EQ(reason_at(199).find("far larger"), std::string::npos);
}

TEST(Selection, SizesThatAnApplicationDoesNotCallHaveNoTracedChoice) {
  auto cells = example_cells();
  cells.push_back(cell(5, "application", 1));
  cells.push_back(cell(6, "application", 2));
  const ApplicationCalls other{.collective = Collective::reduce,
                               .processes = 8,
                               .bytes = 8,
                               .calls_by_condition = {{{"bell", 50.0}, 1}},
                               .median_skew_us = 1};
  const auto selection = select_algorithms(cells, "application", {other}).made.front();
  EXPECT_FALSE(selection.traced.has_value());
  EXPECT_FALSE(selection.application.has_value());
}

TEST(Selection, AlgorithmsNotMeasuredUnderAllPatternsAreNoCandidates) {
  auto cells = example_cells();
  cells.push_back(cell(1, "no_delay", 1));
  const auto selection = select_algorithms(cells).made.front();
  EXPECT_EQ(selection.candidates.size(), 2U);
  EXPECT_EQ(selection.left_out, std::vector<std::string>{"algorithm1"});
}

TEST(Selection, TheLibrarysOwnChoiceIsNoCandidate) {
  auto cells = example_cells();
  for (const char* const pattern : {"no_delay", "last_delayed", "bell"}) cells.push_back(cell(0, pattern, 1));
  EXPECT_EQ(select_algorithms(cells).made.front().candidates.size(), 2U);
}

TEST(Selection, AnUndecidedSizeIsReportedAndOthersAreChosen) {
  auto cells = example_cells();
  for (const char* const pattern : {"bell", "random"}) {
    cells.push_back(cell(pattern[0] == 'b' ? 1 : 2, pattern, 1));
    cells.back().bytes = 1 << 20;
  }
  const Selections selections = select_algorithms(cells);
  ASSERT_EQ(selections.made.size(), 1U);
  EXPECT_EQ(selections.made.front().bytes, example_cells().front().bytes);
  ASSERT_EQ(selections.undecided.size(), 1U);
  EXPECT_NE(selections.undecided.front().find("1048576 bytes: undecided"), std::string::npos);
}

TEST(Selection, IncomparableMeasurementsGiveNoChoice) {
  EXPECT_TRUE(select_algorithms({cell(1, "bell", 1), cell(2, "random", 1)}).made.empty());
  auto cells = example_cells();
  cells.back().library = "MPICH 4.0.2";
  EXPECT_THROW(static_cast<void>(select_algorithms(cells)), UsageError);
}

class ArrivalTable : public testing::Test {
 protected:
  ArrivalTable() { std::filesystem::create_directories(folder_); }
  ~ArrivalTable() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& rows) const {
    std::ofstream file(folder_ / "arrival.csv");
    file << "run,collective,algorithm,algorithm_id,library,version,processes,hosts,bytes,pattern,skew_us,repetition,"
            "valid,last_delay_us,total_delay_us\n"
         << rows;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("laxity-arrival-" + std::to_string(::getpid()));
};

TEST_F(ArrivalTable, CellsAreMediansOfTheirValidRepetitions) {
  write(
      "0,reduce,binomial,5,Open MPI,4.1.4,8,1,64,bell,50,0,1,10,60\n"
      "0,reduce,binomial,5,Open MPI,4.1.4,8,1,64,bell,50,1,0,9000,60\n"
      "0,reduce,binomial,5,Open MPI,4.1.4,8,1,64,bell,50,2,1,14,60\n"
      "0,reduce,linear,1,Open MPI,4.1.4,8,1,64,bell,50,0,1,7.5,60\n"
      "0,reduce,linear,1,Open MPI,4.1.4,8,1,64,random,50,0,0,7.5,60\n");
  const auto cells = read_arrival_table(folder_);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].algorithm, (Algorithm{5, "binomial"}));
  EXPECT_EQ(cells[0].library, "Open MPI 4.1.4");
  EXPECT_EQ(cells[0].repetitions, 2U);
  EXPECT_DOUBLE_EQ(cells[0].last_delay_us, 12);
  EXPECT_DOUBLE_EQ(cells[1].last_delay_us, 7.5);
}

TEST_F(ArrivalTable, UnfinishedRunsDoNotCount) {
  write(
      "0,reduce,binomial,5,Open MPI,4.1.4,8,1,64,bell,50,0,1,10,60\n"
      "1,reduce,binomial,5,Open MPI,4.1.4,8,1,128,bell,50,0,1,10,60\n"
      "2,reduce,binomial,5,Open MPI,4.1.4,8,1,256,bell,50,0,1,10,60\n");
  std::ofstream(folder_ / "runs.csv") << "status,run\ndone,0\nfailed,1\n";
  const auto cells = read_arrival_table(folder_);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].bytes, 64U);
}

TEST_F(ArrivalTable, ErrorsHaveLineAndColumn) {
  write("0,reduce,binomial,5,Open MPI,4.1.4,8,1,64,bell,50,0,1,ten,60\n");
  try {
    static_cast<void>(read_arrival_table(folder_));
    ADD_FAILURE() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.line(), 2);
    EXPECT_NE(std::string(error.what()).find("last_delay_us"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(read_arrival_table(folder_ / "nowhere")), UsageError);
}

}  // namespace
}  // namespace laxity::collective
