#include "workloads/evolution/competition/competition.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/error.hpp"
#include "tests/unit/evolution/world/world_kit.hpp"

namespace laxity::evolution {
namespace {

// Abramowitz and Stegun, Handbook of mathematical functions, table 26.10, where t has three digits after the point.
TEST(Student, ProbabilitiesAreThoseOfTheTable) {
  struct Row {
    double t;
    int freedom;
    double within;
  };
  for (const auto& [t, freedom, within] :
       {Row{12.706, 1, 0.95}, Row{4.303, 2, 0.95}, Row{3.182, 3, 0.95}, Row{2.776, 4, 0.95}, Row{2.262, 9, 0.95},
        Row{2.228, 10, 0.95}, Row{1.98, 120, 0.95}, Row{63.657, 1, 0.99}, Row{3.169, 10, 0.99}}) {
    EXPECT_LE(student_within(t - 0.0005, freedom), within) << freedom;
    EXPECT_GE(student_within(t + 0.0005, freedom), within) << freedom;
  }
  EXPECT_EQ(student_within(0, 7), 0);
}

TEST(Student, AMeanHasItsInterval) {
  const auto [mean, low, high] = mean_interval(std::vector{1., 2., 3., 4.});
  EXPECT_EQ(mean, 2.5);
  EXPECT_NEAR(high - mean, 3.182446 * std::sqrt(5. / 3 / 4), 1e-5);
  EXPECT_NEAR(mean - low, high - mean, 1e-12);
  EXPECT_TRUE(std::isinf(mean_interval(std::vector{1.}).high));
}

TEST(Competition, TheLogarithmOfTheRatioIsFiniteIfOneDiesOut) {
  const CompetitionTrial trial{.seed = 1, .begin = {20, 10}, .end = {60, 0}};
  EXPECT_NEAR(trial.log_ratio(), std::log(60 / 0.5 / 2), 1e-12);
}

CompetitionOptions small_competition() {
  CompetitionOptions options{.parameters = small_world(), .genomes = {}, .updates = 800, .replicates = 5, .seed = 3};
  options.parameters.cells_per_worker = 64;
  options.genomes = {reproducing_ancestors()[0], reproducing_ancestors()[1]};
  return options;
}

// Asks for offspring in every direction and keeps its resource.
Genome spreading() {
  Genome genome = reproducing_ancestors()[2];
  genome.program.resize(3);  // up to the request
  genome.program.push_back(Instruction::of(Opcode::terminate_if));
  return genome;
}

// A program without a module starts nothing.
Genome barren() {
  Genome genome = spreading();
  for (Instruction& instruction : genome.program) instruction = Instruction::of(Opcode::nop_a);
  return genome;
}

TEST(Competition, AGenomeThatReproducesIsFitterThanOneThatDoesNot) {
  CompetitionOptions options = small_competition();
  options.updates = 1500;
  options.genomes = {spreading(), barren()};
  const CompetitionResult result = run_competition(options);
  EXPECT_EQ(fitter(result), Fitter::first);
  std::swap(options.genomes[0], options.genomes[1]);
  EXPECT_EQ(fitter(run_competition(options)), Fitter::second);
}

TEST(Competition, WorldsStartWithBothGenomesAndTheNumberOfThreadsChangesNothing) {
  CompetitionOptions options = small_competition();
  const CompetitionResult one = run_competition(options);
  options.threads = 3;
  const CompetitionResult three = run_competition(options);
  ASSERT_EQ(one.trials.size(), 5U);
  for (std::size_t i = 0; i < one.trials.size(); ++i) {
    EXPECT_EQ(one.trials[i].seed, 3 + i);
    EXPECT_EQ(one.trials[i].begin[0] + one.trials[i].begin[1], 64U);
    EXPECT_GT(one.trials[i].begin[0], 10U);
    EXPECT_GT(one.trials[i].begin[1], 10U);
    EXPECT_EQ(one.trials[i].end, three.trials[i].end);
  }
  EXPECT_NE(one.trials[0].end, one.trials[1].end);
}

TEST(Competition, OneWorldTellsNothing) {
  CompetitionOptions options = small_competition();
  options.genomes = {spreading(), barren()};
  options.replicates = 1;
  EXPECT_EQ(fitter(run_competition(options)), Fitter::cannot_be_told);
}

TEST(Competition, GenomesThatAreTooLongAreUsage) {
  CompetitionOptions options = small_competition();
  options.parameters.mutation.max_length = 10;
  options.parameters.program_length = 10;
  EXPECT_THROW((void)run_competition(options), UsageError);
}

}  // namespace
}  // namespace laxity::evolution
