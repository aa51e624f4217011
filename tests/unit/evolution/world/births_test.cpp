#include <cstddef>
#include <cstdint>
#include <map>

#include "gtest/gtest.h"
#include "tests/unit/evolution/world/world_kit.hpp"
#include "workloads/evolution/lineage/birth_collection.hpp"

namespace laxity::evolution {
namespace {

using Birth = BirthRecord::Birth;

// All births of a world, by number.
std::map<std::uint64_t, Birth> births_of(const ReplayedWorld& world) {
  std::map<std::uint64_t, Birth> all;
  for (const auto& worker : world.workers()) {
    const BirthRecord& record = worker->births();
    for (std::size_t i = 0; i < record.births().size(); ++i) all[record.number_of(i)] = record.births()[i];
  }
  return all;
}

TEST(Births, EveryCellAndItsParentsAreRecordedWithLossAndDelays) {
  constexpr Faults delays{.delay_ns = 500, .delay_spread_ns = 1500, .stall = 0.05, .stall_ns = 8000};
  ReplayedWorld world(small_world(), 4, 5, 0.2, delays, true);
  world.run(1500);
  const std::map<std::uint64_t, Birth> births = births_of(world);
  std::size_t born = 0, living = 0, recorded_living = 0, of_other_workers = 0;
  for (const auto& worker : world.workers()) {
    born += worker->cells().size() + worker->tallies().births + worker->tallies().fragmented;
    living += worker->census().living;
  }
  EXPECT_EQ(births.size(), born);
  for (const auto& [number, birth] : births) {
    recorded_living += birth.death == BirthRecord::living;
    EXPECT_GE(birth.death, birth.update);
    if (birth.parent == 0) continue;
    ASSERT_TRUE(births.contains(birth.parent)) << number;
    of_other_workers += (birth.parent - 1) % 4 != (number - 1) % 4;
  }
  EXPECT_EQ(recorded_living, living);
  EXPECT_GT(of_other_workers, 0U);
}

TEST(Births, TheNumberOfAncestorsIsThatOfTheGenome) {
  ReplayedWorld world(small_world(), 2, 3, 0, {}, true);
  world.run(1500);
  const std::map<std::uint64_t, Birth> births = births_of(world);
  std::map<std::uint64_t, std::uint64_t> lineage_of_root;
  std::uint64_t most = 0;
  for (const auto& worker : world.workers()) {
    for (const Cell& cell : worker->cells()) {
      if (!cell.alive) continue;
      const Descent& descent = cell.genome.descent;
      ASSERT_EQ(births.at(descent.individual).death, BirthRecord::living);
      std::uint64_t ancestors = 0, at = descent.individual;
      for (; births.at(at).parent != 0; at = births.at(at).parent) ++ancestors;
      EXPECT_EQ(ancestors, descent.births());
      EXPECT_EQ(lineage_of_root.emplace(at, descent.lineage).first->second, descent.lineage);
      most = std::max(most, ancestors);
    }
  }
  EXPECT_GT(most, 2U);
}

TEST(Births, RecordingThemDoesNotChangeTheWorld) {
  ReplayedWorld with(small_world(), 2, 3, 0, {}, true), without(small_world(), 2, 3);
  with.run(300);
  without.run(300);
  EXPECT_EQ(with.hashes(), without.hashes());
  EXPECT_TRUE(without[0].births().births().empty());
}

TEST(Births, ACollectionReturnsWhatEachWorkerPut) {
  BirthRecord first(0, 2), second(1, 2);
  Descent ancestor, child;
  first.add(ancestor, 0);
  child = ancestor;
  second.add(child, 16);
  first.end(ancestor, 20);
  const BirthCollection collection(3);
  collection.put(1, second);
  collection.put(0, first);
  const auto births = collection.take(nullptr, 1);
  ASSERT_EQ(births.size(), 3U);
  ASSERT_EQ(births[0].size(), 1U);
  EXPECT_EQ(births[0][0].death, 20U);
  ASSERT_EQ(births[1].size(), 1U);
  EXPECT_EQ(births[1][0].parent, ancestor.individual);
  EXPECT_EQ(births[1][0].update, 16U);
  EXPECT_TRUE(births[2].empty());  // of a worker that was lost
}

}  // namespace
}  // namespace laxity::evolution
