#include "workloads/evolution/world/world.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/effort.hpp"
#include "tests/unit/evolution/world/world_kit.hpp"

namespace laxity::evolution {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool counts_memory = false;
#else
constexpr bool counts_memory = true;
#endif

// Frames arrive up to two updates late, and full buffers refuse.
constexpr Faults delays{.delay_ns = 500, .delay_spread_ns = 1500, .stall = 0.05, .stall_ns = 8000};

void expect_closed_account(const World& world) {
  const double moved = world.account()[ResourceTerm::base_harvest] + world.account()[ResourceTerm::start];
  EXPECT_NEAR(world.stock(), world.account().stock(), 1e-9 * moved);
}

TEST(World, OneSeedAndOneWorkerGiveOneWorld) {
  ReplayedWorld first(small_world(), 1, 7), second(small_world(), 1, 7), other(small_world(), 1, 8);
  for (ReplayedWorld* world : {&first, &second, &other}) world->run(300);
  EXPECT_EQ(first.hashes(), second.hashes());
  EXPECT_NE(first.hashes(), other.hashes());
}

TEST(World, FourWorkersReplayBitByBitWithLossAndDelays) {
  ReplayedWorld first(small_world(), 4, 7, 0.2, delays), second(small_world(), 4, 7, 0.2, delays);
  first.run(300);
  second.run(300);
  EXPECT_EQ(first.hashes(), second.hashes());
}

TEST(World, CellsReproduceAndMutate) {
  Parameters parameters = small_world();
  parameters.mutation.occurrence = {0.2, 0.2, 0.2};
  ReplayedWorld world(parameters, 1, 3);
  world.run(1000);
  const Tallies& tallies = world[0].tallies();
  EXPECT_GT(tallies.births, 0U);
  EXPECT_GE(tallies.spawns, tallies.births + tallies.repelled);
  std::uint64_t mutated = 0;
  for (const Cell& cell : world[0].cells()) mutated += cell.alive && cell.genome.descent.bit_flips > 0;
  EXPECT_GT(mutated, 0U);
  EXPECT_GT(world[0].census().living, 0U);
}

TEST(World, ResourceIsConservedInOneWorker) {
  ReplayedWorld world(small_world(), 1, 5);
  for (int part = 0; part < 10; ++part) {
    world.run(100);
    expect_closed_account(world[0]);
  }
  EXPECT_GT(world[0].account()[ResourceTerm::sent], 0);
  EXPECT_GT(world[0].account()[ResourceTerm::received], 0);
}

TEST(World, ResourceIsConservedWithLossAndDelays) {
  ReplayedWorld world(small_world(), 4, 5, 0.2, delays);
  for (int part = 0; part < 10; ++part) {
    world.run(100);
    ResourceAccount total;
    for (const auto& worker : world.workers()) {
      expect_closed_account(*worker);
      total += worker->account();
    }
    const double sent = total[ResourceTerm::sent];
    EXPECT_GE(total.in_transit(), -1e-6 * sent);
    EXPECT_LE(total.in_transit(), 0.2 * sent + 1);
  }
}

// Resource that was sent arrives, or comes back from where no cell lives, also while frames are refused and late.
TEST(World, NoResourceStaysOnTheWay) {
  Parameters parameters = small_world();
  parameters.periods.receive = 1;
  ReplayedWorld world(parameters, 4, 9, 0, delays);
  world.run(2000);
  ResourceAccount total;
  for (const auto& worker : world.workers()) total += worker->account();
  ASSERT_GT(total[ResourceTerm::sent], 10);
  EXPECT_LT(total.in_transit(), 0.05 * total[ResourceTerm::sent]);
}

TEST(World, NoGenomeIsTornOrInventedWhateverIsLost) {
  Parameters parameters = small_world();
  parameters.mutation.occurrence = {0, 0, 0};
  ReplayedWorld world(parameters, 4, 11, 0.2, delays);
  using Body = std::tuple<Program, std::array<Tag, event_count>>;
  std::map<std::uint64_t, Body> ancestors;
  const auto for_each_living = [&](auto visit) {
    for (const auto& worker : world.workers()) {
      for (const Cell& cell : worker->cells()) {
        if (cell.alive) visit(cell);
      }
    }
  };
  for_each_living([&](const Cell& cell) {
    ancestors.emplace(cell.genome.descent.lineage, Body{cell.program->program(), cell.genome.event_tags});
  });
  ASSERT_EQ(ancestors.size(), 4U * parameters.cells_per_worker);
  world.run(1500);
  std::uint64_t migrants = 0;
  for_each_living([&](const Cell& cell) {
    const auto ancestor = ancestors.find(cell.genome.descent.lineage);
    ASSERT_NE(ancestor, ancestors.end());
    EXPECT_TRUE((ancestor->second == Body{cell.program->program(), cell.genome.event_tags}));
  });
  for (std::size_t worker = 0; worker < 4; ++worker) {
    for (const Cell& cell : world[worker].cells()) migrants += cell.alive && cell.parent != Cell::no_parent;
  }
  EXPECT_GT(migrants, 0U);
}

TEST(World, WorkersThatDoNotCommunicateGoOnAlone) {
  ReplayedWorld world(small_world(), 2, 13);
  for (std::size_t worker = 0; worker < 2; ++worker) world[worker].part().communicate(false);
  world.run(300);
  for (const auto& worker : world.workers()) expect_closed_account(*worker);
  EXPECT_GT(world[0].tallies().births + world[1].tallies().births, 0U);
}

// With offspring in the groups of its parent only, groups grow to several cells, and each counts them.
TEST(World, KinGroupsAreCountedWithLoss) {
  Parameters parameters = small_world();
  parameters.group_expiry = {1'000'000, 1'000'000};
  ReplayedWorld world(parameters, 4, 17, 0.2, delays);
  world.run(3000);
  std::map<std::uint64_t, int> members;
  for (const auto& worker : world.workers()) {
    for (const Cell& cell : worker->cells()) {
      if (cell.alive) ++members[cell.genome.kin.ids[0]];
    }
  }
  int largest_estimate = 0, cells = 0, close = 0;
  for (const auto& worker : world.workers()) {
    for (const Cell& cell : worker->cells()) {
      if (!cell.alive) continue;
      largest_estimate = std::max(largest_estimate, cell.group_size(0));
      ++cells;
      close += cell.group_size(0) <= members[cell.genome.kin.ids[0]] + 2;
    }
  }
  EXPECT_GT(largest_estimate, 2);
  EXPECT_GT(close, cells * 8 / 10);  // the rest have just lost a member
}

// 5,000 updates, and 50,000 with the effort of the long test. Programs keep their lengths, so memory in use stays the same but for
// the messages that wait.
TEST(World, DoesNotGrow) {
  if (!counts_memory) GTEST_SKIP() << "the allocator of a sanitizer counts no memory in use";
  Parameters parameters = small_world();
  parameters.mutation.occurrence = {0, 0, 0};
  ReplayedWorld world(parameters, 2, 21, 0.2, delays);
  const auto updates = std::int64_t{1000} * effort();
  world.run(updates);
  const std::size_t before = mallinfo2().uordblks;
  world.run(4 * updates);
  EXPECT_LT(mallinfo2().uordblks, before + before / 10);
  EXPECT_GT(world[0].census().living, 0U);
}

TEST(Offspring, SurvivesItsEncodingBitByBit) {
  SeededRandom random(1);
  const Genome genome = random_genome(200, random);
  const GenomeHeader header = genome;
  const Inheritance offspring{header, std::make_shared<const LoadedProgram>(genome.program), 1};
  std::vector<std::byte> bytes(Codec<Inheritance>::bytes(offspring));
  EXPECT_EQ(bytes.size(), 8 + sizeof(GenomeHeader) + 200 * sizeof(Instruction));
  Codec<Inheritance>::encode(offspring, bytes.data());
  Inheritance arrived;
  Codec<Inheritance>::decode(bytes, arrived);
  EXPECT_EQ(arrived.header, offspring.header);
  EXPECT_EQ(arrived.program->program(), genome.program);
  EXPECT_EQ(arrived.replication_level, 1U);
  bytes[0] = std::byte{3};
  EXPECT_THROW(Codec<Inheritance>::decode(bytes, arrived), Error);
  EXPECT_THROW(Codec<Inheritance>::decode(std::span(bytes).first(4), arrived), Error);
}

TEST(World, ATorusThatIsTooNarrowIsRefused) {
  Parameters parameters = small_world();
  parameters.cells_per_worker = 7;
  EXPECT_THROW(static_cast<void>(world_topology(parameters, 1)), UsageError);
}

}  // namespace
}  // namespace laxity::evolution
