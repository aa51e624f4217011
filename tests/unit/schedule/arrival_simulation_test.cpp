#include "laxity/schedule/arrival_simulation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/schedule/machine_file.hpp"

namespace laxity::schedule {
namespace {

using collective::Collective;
using collective::Pattern;
using collective::SkewPolicy;

const SimulatedCell& cell(const std::vector<SimulatedCell>& cells, std::size_t algorithm, const std::string& pattern) {
  for (const SimulatedCell& each : cells)
    if (each.algorithm == algorithm && each.pattern == pattern) return each;
  throw Error("no cell of " + pattern);
}

// Reduce on a star of four ranks where a message takes 3 us and nothing else costs: the root has everything 3 us after
// the last rank has arrived, or at once if it is itself the late one.
TEST(SimulateArrivals, GivesTheLastDelaysComputedByHand) {
  const Machine machine{.name = "latency", .levels = {{.name = "all", .latency_us = 3}}};
  const SimulatedBlock block{.call = {.collective = Collective::reduce, .ranks = 4, .bytes = 8},
                             .algorithms = {{1, "linear"}, {3, "pipeline"}},
                             .patterns = {Pattern::first_delayed, Pattern::last_delayed},
                             .custom_patterns = {{"mine", {}, {0, 2e-6, 0, 0}}},
                             .skews = {{.kind = SkewPolicy::Kind::given, .seconds = 100e-6}}};
  const auto cells = simulate_arrivals(block, machine, 2);
  ASSERT_EQ(cells.size(), 2U * 4);
  EXPECT_NEAR(cell(cells, 0, "no_delay").last_delay_s, 3e-6, 1e-12);
  EXPECT_NEAR(cell(cells, 0, "first_delayed").last_delay_s, 0, 1e-12);
  EXPECT_NEAR(cell(cells, 0, "last_delayed").last_delay_s, 3e-6, 1e-12);
  EXPECT_NEAR(cell(cells, 0, "last_delayed").total_delay_s, 103e-6, 1e-12);
  EXPECT_NEAR(cell(cells, 0, "mine").last_delay_s, 3e-6, 1e-12);
  EXPECT_NEAR(cell(cells, 1, "no_delay").last_delay_s, 9e-6, 1e-12);      // the chain 3, 2, 1, 0
  EXPECT_NEAR(cell(cells, 1, "last_delayed").last_delay_s, 9e-6, 1e-12);  // its far end is late
  EXPECT_NEAR(cell(cells, 1, "first_delayed").last_delay_s, 0, 1e-12);
}

TEST(SimulateArrivals, TakesSkewsFromTheCellsWithoutDelay) {
  const Machine machine{.name = "latency", .levels = {{.name = "all", .latency_us = 3}}};
  SimulatedBlock block{.call = {.collective = Collective::reduce, .ranks = 4, .bytes = 8},
                       .algorithms = {{1, "linear"}, {3, "pipeline"}},
                       .patterns = {Pattern::ascending},
                       .custom_patterns = {},
                       .skews = {{.kind = SkewPolicy::Kind::mean, .factor = 0.5}}};
  EXPECT_NEAR(cell(simulate_arrivals(block, machine, 1), 1, "ascending").skew_s, 3e-6, 1e-12);
  block.skews = {{.kind = SkewPolicy::Kind::own, .factor = 2}};
  const auto own = simulate_arrivals(block, machine, 1);
  EXPECT_NEAR(cell(own, 0, "ascending").skew_s, 6e-6, 1e-12);
  EXPECT_NEAR(cell(own, 1, "ascending").skew_s, 18e-6, 1e-12);
}

// Figure 4 of the source: reduce of 2 bytes on 1,024 ranks is fastest over a binomial tree without delay, and over an
// in-order binary tree under last_delayed, in about 0.3 times as long as over the binomial tree. SimGrid gives 0.27.
TEST(SimulateArrivals, FindsTheInOrderTreeOfTheSourceUnderLastDelayed) {
  SimulatedBlock block{.call = {.collective = Collective::reduce, .ranks = 1024, .bytes = 2},
                       .algorithms = algorithms(Collective::reduce),
                       .patterns = {Pattern::last_delayed},
                       .custom_patterns = {}};
  block.algorithms.resize(
      6);  // without rabenseifner, which falls back to linear where elements are fewer than ranks, and ours
  const auto cells = simulate_arrivals(block, machine_named("paper"), 2);
  const auto fastest = [&](const std::string& pattern) {
    const SimulatedCell* best = nullptr;
    for (const SimulatedCell& each : cells)
      if (each.pattern == pattern && (best == nullptr || each.last_delay_s < best->last_delay_s)) best = &each;
    return block.algorithms[best->algorithm].name;
  };
  EXPECT_EQ(fastest("no_delay"), "binomial");
  EXPECT_EQ(fastest("last_delayed"), "in-order_binary");
  const double ratio = cell(cells, 5, "last_delayed").last_delay_s / cell(cells, 4, "last_delayed").last_delay_s;
  EXPECT_GT(ratio, 0.24);
  EXPECT_LT(ratio, 0.32);
}

// On a machine where eager messages cost the receiver nothing, a late root has all when it arrives.
TEST(SimulateArrivals, HasNoLastDelayBelowZeroWhereALateRootHasAllWhenItArrives) {
  const Machine machine{.name = "latency", .levels = {{.name = "all", .latency_us = 2}}};
  SimulatedBlock block{.call = {.collective = Collective::gather, .ranks = 8, .bytes = 2},
                       .algorithms = {{1, "basic_linear"}},
                       .patterns = {Pattern::first_delayed},
                       .custom_patterns = {},
                       .skews = {{.kind = SkewPolicy::Kind::given}}};
  for (int thirds = 1; thirds <= 200; ++thirds) {
    block.skews.front().seconds = 100e-6 + thirds / 3.0 * 1e-7;
    const double last_delay_s = cell(simulate_arrivals(block, machine, 1), 0, "first_delayed").last_delay_s;
    EXPECT_GE(last_delay_s, 0) << thirds;
    EXPECT_LT(last_delay_s, 1e-12) << thirds;  // the resolution of the simulation
  }
}

TEST(SimulateArrivals, HasTheSameTimesForAnyNumberOfThreads) {
  const SimulatedBlock block{.call = {.collective = Collective::allreduce, .ranks = 24, .bytes = 4096},
                             .algorithms = algorithms(Collective::allreduce),
                             .patterns = {collective::delaying_patterns.begin(), collective::delaying_patterns.end()},
                             .custom_patterns = {}};
  const auto one = simulate_arrivals(block, machine_named("omnipath"), 1);
  const auto four = simulate_arrivals(block, machine_named("omnipath"), 4);
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].pattern, four[i].pattern);
    EXPECT_EQ(one[i].last_delay_s, four[i].last_delay_s);
  }
}

TEST(SimulateArrivals, RefusesAPatternOfAnotherNumberOfRanksAndUnknownAlgorithms) {
  SimulatedBlock block{.call = {.collective = Collective::bcast, .ranks = 4, .bytes = 8},
                       .algorithms = {{1, "basic_linear"}},
                       .patterns = {},
                       .custom_patterns = {{"mine", {}, {0, 1}}}};
  EXPECT_THROW(static_cast<void>(simulate_arrivals(block, machine_named("paper"), 2)), UsageError);
  block.custom_patterns.clear();
  block.algorithms = {{1, "basic_linear"}, {2, "best"}};
  EXPECT_THROW(static_cast<void>(simulate_arrivals(block, machine_named("paper"), 2)), UsageError);
}

}  // namespace
}  // namespace laxity::schedule
