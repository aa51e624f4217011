#include "laxity/collective/selection/selection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

constexpr std::size_t turns = 30;

// A cell whose valid repetitions vary by a hundredth.
Measurement cell(int id, const std::string& pattern, double last_delay_us, std::size_t valid = turns) {
  Measurement made{.collective = Collective::reduce,
                   .algorithm = {id, id == 0 ? "library" : "algorithm" + std::to_string(id)},
                   .library = "Open MPI 4.1.4",
                   .processes = 8,
                   .bytes = 1024,
                   .pattern = pattern,
                   .skew_us = pattern == "no_delay" ? 0.0 : 50.0,
                   .repetitions = turns,
                   .delays = {}};
  for (std::size_t turn = 0; turn < valid; ++turn) {
    const double offset = 0.01 * (static_cast<double>(turn * 7 % turns) / (turns - 1) - 0.5);
    made.delays.push_back({turn, last_delay_us * (1 + offset)});
  }
  return made;
}

// Normalized rows: (2, 1, 2), (3, 3, 1), (1.5, 1.5, 1); means 6.5/3, 5.5/3 and 4/3.
std::vector<Measurement> example_cells() {
  return {cell(0, "no_delay", 20),     cell(5, "no_delay", 10),     cell(6, "no_delay", 20),
          cell(0, "last_delayed", 60), cell(5, "last_delayed", 60), cell(6, "last_delayed", 20),
          cell(0, "bell", 15),         cell(5, "bell", 15),         cell(6, "bell", 10)};
}

Selection only(const std::vector<Measurement>& cells, const std::string& traced = {},
               const std::vector<ApplicationCalls>& application = {}) {
  auto selections = select_algorithms(cells, traced, application);
  EXPECT_EQ(selections.size(), 1U);
  return selections.front();
}

// The number of the chosen algorithm; 0 if the library's own choice is kept.
int chosen(const Selection& selection, ChoiceKind kind = ChoiceKind::robust) {
  const Candidate* const best = selection.chosen(kind);
  return best == nullptr ? 0 : best->algorithm.id;
}

TEST(Selection, MeansOfNormalizedDelaysMatchTheExample) {
  const Selection selection = only(example_cells());
  EXPECT_EQ(selection.conditions, 3U);
  EXPECT_EQ(selection.shared, 3U);
  ASSERT_EQ(selection.candidates.size(), 3U);
  const Candidate& first = selection.candidates[0];
  EXPECT_EQ(first.algorithm.id, 6);
  EXPECT_EQ(first.repetitions, 30U);
  EXPECT_NEAR(first.cost(ChoiceKind::robust)->value, 4.0 / 3, 1e-9);
  EXPECT_NEAR(first.cost(ChoiceKind::robust)->ratio.middle, 8.0 / 13, 1e-9);
  EXPECT_NEAR(first.worst, 2, 1e-9);
  EXPECT_EQ(first.worst_pattern, "no_delay");
  EXPECT_NEAR(selection.candidates[1].cost(ChoiceKind::robust)->value, 5.5 / 3, 1e-9);
  EXPECT_EQ(selection.library().algorithm.id, 0);
  EXPECT_EQ(chosen(selection), 6);
  EXPECT_EQ(chosen(selection, ChoiceKind::no_delay), 5);
  EXPECT_FALSE(selection.library().cost(ChoiceKind::traced));
}

TEST(Selection, TheReasonNamesTheChoiceItsIntervalAndHowOftenItWasMeasured) {
  const std::string reason = only(example_cells()).reason();
  EXPECT_TRUE(
      reason.starts_with("reduce, 8 processes, 1024 bytes: algorithm6 (6) takes 0.62 times as long as the "
                         "library's own choice (95 % interval 0."))
      << reason;
  EXPECT_NE(
      reason.find("under 3 of 3 conditions, each with at least 30 valid repetitions. Without delay algorithm5 (5) "
                  "takes 0.50 times"),
      std::string::npos)
      << reason;
  EXPECT_TRUE(reason.ends_with("but its largest last delay is 3.00 times the smallest one, under last_delayed."))
      << reason;
}

TEST(Selection, TheLibrarysOwnChoiceIsKeptWithinFivePercent) {
  const auto at = [](double share) {
    return chosen(only({cell(0, "bell", 100), cell(0, "no_delay", 100), cell(1, "bell", share * 100),
                        cell(1, "no_delay", share * 100)}));
  };
  EXPECT_EQ(at(0.94), 1);
  EXPECT_EQ(at(0.96), 0);
  EXPECT_EQ(at(1.5), 0);
}

TEST(Selection, TheLibrarysOwnChoiceIsKeptWithinTheInterval) {
  // The median is a tenth smaller, but the repetitions vary from 30 to 150 us.
  auto wild = cell(1, "bell", 90);
  for (std::size_t i = 0; i < turns; ++i) {
    wild.delays[i].last_delay_us = 30 + 120 * static_cast<double>(i * 7 % turns) / (turns - 1);
  }
  const Selection selection = only({cell(0, "bell", 100), wild});
  EXPECT_LT(selection.candidates.front().cost(ChoiceKind::robust)->ratio.middle, 0.95);
  EXPECT_EQ(chosen(selection), 0);
  EXPECT_NE(selection.reason().find("the library's own choice is kept: the fastest other algorithm, algorithm1 (1)"),
            std::string::npos)
      << selection.reason();
}

TEST(Selection, AnAlgorithmIsNotChosenBecauseTheOthersHaveHoles) {
  // Measured under every condition, pairwise has a mean of 3.75 times the smallest delay. With two holes in the cells of
  // the others it is the only one without, and would win by survival.
  std::vector<Measurement> cells;
  for (const char* const pattern : {"no_delay", "bell", "random", "ascending", "descending"}) {
    const bool is_hole = std::string(pattern) == "bell" || std::string(pattern) == "random";
    cells.push_back(cell(0, pattern, 100, is_hole ? 2 : turns));
    cells.push_back(cell(1, pattern, 100, is_hole ? 0 : turns));
    cells.push_back(cell(2, pattern, 375));
  }
  const Selection selection = only(cells);
  EXPECT_EQ(selection.shared, 3U);
  EXPECT_EQ(selection.conditions, 5U);
  EXPECT_EQ(selection.candidates.size(), 3U);
  EXPECT_EQ(chosen(selection), 0);
}

TEST(Selection, IsUndecidedUnlessHalfOfTheConditionsAreShared) {
  std::vector<Measurement> cells;
  for (const char* const pattern : {"no_delay", "bell", "random", "ascending"}) {
    const std::string name = pattern;
    cells.push_back(cell(0, name, 100, name == "bell" || name == "no_delay" ? 0 : turns));
    cells.push_back(cell(1, name, 50, name == "random" ? 0 : turns));
  }
  cells.front().oversubscribed = true;
  for (Measurement& each : cells) each.oversubscribed = true;
  const Selection selection = only(cells);
  EXPECT_EQ(chosen(selection), 0);
  EXPECT_TRUE(selection.candidates.empty());
  EXPECT_EQ(selection.reason(),
            "reduce, 8 processes, 1024 bytes: undecided: the library's own choice is kept, since all algorithms were "
            "measured "
            "often enough under 1 of 4 conditions. There were more processes than processors, so delays depend on the "
            "scheduler.");
}

TEST(Selection, IsUndecidedWithoutTheLibrarysOwnChoice) {
  auto cells = example_cells();
  std::erase_if(cells, [](const Measurement& each) { return each.algorithm.id == 0; });
  const Selection selection = only(cells);
  EXPECT_EQ(chosen(selection), 0);
  EXPECT_EQ(selection.undecided, "it was not measured");
}

TEST(Selection, AFewValidRepetitionsAreNoMeasurement) {
  const std::vector<Measurement> cells{cell(0, "bell", 100), cell(1, "bell", 10, 5)};
  EXPECT_EQ(chosen(only(cells)), 0);
  EXPECT_EQ(chosen(only({cell(0, "bell", 100), cell(1, "bell", 10, 6)})), 1);
  auto one_turn = cell(1, "bell", 10);
  for (ValidDelay& delay : one_turn.delays) delay.turn = 0;
  EXPECT_EQ(chosen(only({cell(0, "bell", 100), one_turn})), 0);
}

TEST(Selection, AlgorithmsMeasuredUnderLessThanHalfOfTheConditionsAreLeftOut) {
  auto cells = example_cells();
  cells.push_back(cell(1, "no_delay", 1));
  const Selection selection = only(cells);
  EXPECT_EQ(selection.candidates.size(), 3U);
  EXPECT_EQ(selection.left_out, std::vector<std::string>{"algorithm1"});
  EXPECT_EQ(chosen(selection), 6);
}

TEST(Selection, NeedsNoMeasurementWithoutDelay) {
  auto cells = example_cells();
  std::erase_if(cells, [](const Measurement& each) { return each.pattern == "no_delay"; });
  const Selection selection = only(cells);
  EXPECT_EQ(chosen(selection), 6);
  EXPECT_FALSE(has_choice({selection}, ChoiceKind::no_delay));
  EXPECT_FALSE(selection.reason().empty());
  EXPECT_EQ(selection.evidence(ChoiceKind::no_delay), "was not measured; the library's own choice is kept.");
}

TEST(Selection, TheTracedPatternDecidesTheTracedChoiceOnly) {
  auto cells = example_cells();
  cells.push_back(cell(0, "my_app", 50));
  cells.push_back(cell(5, "my_app", 1));
  cells.push_back(cell(6, "my_app", 100));
  const Selection selection = only(cells, "my_app");
  EXPECT_EQ(selection.conditions, 3U);
  EXPECT_EQ(chosen(selection), 6);
  EXPECT_EQ(chosen(selection, ChoiceKind::traced), 5);
}

TEST(Selection, CallsOfAnApplicationCountUnderTheirNearestConditions) {
  ApplicationCalls calls{
      .collective = Collective::reduce, .processes = 8, .bytes = 1024, .calls_by_condition = {}, .median_skew_us = 7};
  calls.calls_by_condition = {{{"last_delayed", 50.0}, 1}, {{"no_delay", 0.0}, 3}};
  // (60 + 3 * 10) / 4 against (20 + 3 * 20) / 4, and (60 + 3 * 20) / 4 for the library's own choice.
  Selection selection = only(example_cells(), {}, {calls});
  ASSERT_EQ(chosen(selection, ChoiceKind::traced), 6);
  EXPECT_NEAR(selection.chosen(ChoiceKind::traced)->cost(ChoiceKind::traced)->value, 20, 1e-9);
  EXPECT_NE(
      selection.reason().find("In the application (4 calls, 3 of them nearest to no_delay, median skew 7 us) it takes "
                              "0.67 times as long"),
      std::string::npos)
      << selection.reason();
  calls.calls_by_condition[{"no_delay", 0.0}] = 5;  // (60 + 50) / 6 against (20 + 100) / 6
  selection = only(example_cells(), {}, {calls});
  EXPECT_EQ(chosen(selection, ChoiceKind::traced), 5);
}

TEST(Selection, CallsUnderConditionsThatAreNotSharedDecideNothing) {
  auto cells = example_cells();
  cells[2].delays.resize(2);  // of algorithm 6 without delay
  ApplicationCalls calls{.collective = Collective::reduce,
                         .processes = 8,
                         .bytes = 1024,
                         .calls_by_condition = {{{"no_delay", 0.0}, 3}, {{"bell", 50.0}, 2}},
                         .median_skew_us = 7};
  EXPECT_FALSE(has_choice({only(cells, {}, {calls})}, ChoiceKind::traced));
  calls.calls_by_condition[{"bell", 50.0}] = 3;
  EXPECT_TRUE(has_choice({only(cells, {}, {calls})}, ChoiceKind::traced));
}

TEST(Selection, TheReasonMentionsAnApplicationSkewFarLargerThanTheMeasuredSkews) {
  const auto reason_at = [](double skew_us) {
    const ApplicationCalls calls{.collective = Collective::reduce,
                                 .processes = 8,
                                 .bytes = 1024,
                                 .calls_by_condition = {{{"bell", 50.0}, 2}, {{"no_delay", 0.0}, 1}},
                                 .median_skew_us = skew_us};
    return only(example_cells(), {}, {calls}).reason();
  };
  EXPECT_TRUE(
      reason_at(201).ends_with("Its skew is far larger than the measured skews: measure with a skew of 201 us."));
  EXPECT_EQ(reason_at(199).find("far larger"), std::string::npos);
}

TEST(Selection, SizesThatAnApplicationDoesNotCallHaveNoTracedChoice) {
  auto cells = example_cells();
  for (const int id : {0, 5, 6}) cells.push_back(cell(id, "application", 1 + id));
  const ApplicationCalls other{.collective = Collective::reduce,
                               .processes = 8,
                               .bytes = 8,
                               .calls_by_condition = {{{"bell", 50.0}, 1}},
                               .median_skew_us = 1};
  const Selection selection = only(cells, "application", {other});
  EXPECT_FALSE(has_choice({selection}, ChoiceKind::traced));
  EXPECT_FALSE(selection.application.has_value());
}

TEST(Selection, SizesAreIndependent) {
  auto cells = example_cells();
  for (const int id : {0, 1, 2}) {
    cells.push_back(cell(id, id == 1 ? "bell" : "random", 1));
    cells.back().bytes = 1 << 20;
  }
  const auto selections = select_algorithms(cells);
  ASSERT_EQ(selections.size(), 2U);
  EXPECT_EQ(chosen(selections[0]), 6);
  EXPECT_EQ(selections[1].bytes, std::size_t{1} << 20);
}

TEST(Selection, OneChoiceHoldsForOneLibrary) {
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
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].algorithm, (Algorithm{5, "binomial"}));
  EXPECT_EQ(cells[0].library, "Open MPI 4.1.4");
  EXPECT_EQ(cells[0].repetitions, 3U);
  EXPECT_EQ(cells[0].delays.size(), 2U);
  EXPECT_DOUBLE_EQ(cells[0].last_delay_us().middle, 12);
  EXPECT_DOUBLE_EQ(cells[0].last_delay_us().low, 10);
  EXPECT_DOUBLE_EQ(cells[0].last_delay_us().high, 14);
  EXPECT_FALSE(cells[0].is_measured());
  EXPECT_DOUBLE_EQ(cells[1].last_delay_us().middle, 7.5);
  EXPECT_TRUE(cells[2].delays.empty());
}

TEST_F(ArrivalTable, UnfinishedRunsDoNotCount) {
  write(
      "0,reduce,binomial,5,Open MPI,4.1.4,8,1,64,bell,50,0,1,10,60\n"
      "1,reduce,binomial,5,Open MPI,4.1.4,8,1,128,bell,50,0,1,10,60\n"
      "2,reduce,binomial,5,Open MPI,4.1.4,8,1,256,bell,50,0,1,10,60\n");
  std::ofstream(folder_ / "runs.csv") << "status,run,oversubscribed\ndone,0,1\nfailed,1,1\n";
  const auto cells = read_arrival_table(folder_);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].bytes, 64U);
  EXPECT_TRUE(cells[0].oversubscribed);
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
