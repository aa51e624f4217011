#include "workloads/evolution/run/picture_record.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/evolution/world/world_kit.hpp"

namespace laxity::evolution {
namespace {

constexpr std::uint32_t cells_of_a_worker = 36;

TEST(PictureRecord, KeepsPicturesAtEvenIntervalsOfARunOfAnyLength) {
  for (const std::uint32_t capacity : {4U, 5U, 24U}) {
    ReplayedWorld world(small_world(), 1, 3);
    std::vector<PicturedCell> room(std::size_t{capacity} * cells_of_a_worker);
    const PictureRecord record(room, cells_of_a_worker);
    std::array<PictureProgress, 1> progress{{{.taken = 0, .interval = 3}}};
    std::vector<std::vector<std::uint64_t>> lineages;  // of all cells by update
    for (std::uint64_t update = 0; update <= 200; ++update) {
      record.take(world[0], world[0].part().local_nodes(), progress[0]);
      auto& now = lineages.emplace_back(cells_of_a_worker);
      for (std::uint32_t i = 0; i < cells_of_a_worker; ++i) {
        const Cell& cell = world[0].cells()[i];
        if (cell.alive) now[world[0].part().local_nodes().id(i)] = cell.genome.descent.lineage >> 32;
      }
      world[0].update();
    }
    const std::vector<Picture> pictures = record.pictures(world.partition(), progress);
    EXPECT_LE(pictures.size(), capacity);
    EXPECT_GE(2 * pictures.size(), capacity);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      ASSERT_EQ(pictures[i].update, i * progress[0].interval);
      for (std::uint32_t node = 0; node < cells_of_a_worker; ++node) {
        EXPECT_EQ(pictures[i].cells[node].lineage, lineages[pictures[i].update][node]);
      }
    }
    EXPECT_GT(pictures.back().update + progress[0].interval, 200U);
  }
}

// One worker is much faster, so its interval is longer.
TEST(PictureRecord, ShowsAllWorkersAfterEqualNumbersOfUpdates) {
  ReplayedWorld world(small_world(), 2, 3);
  std::vector<PicturedCell> room(std::size_t{4} * 2 * cells_of_a_worker);
  const PictureRecord record(room, 2 * cells_of_a_worker);
  std::array<PictureProgress, 2> progress{{{.taken = 0, .interval = 1}, {.taken = 0, .interval = 1}}};
  for (const auto& [worker, updates] : {std::pair{0U, 40}, std::pair{1U, 17}}) {
    for (int update = 0; update <= updates; ++update) {
      record.take(world[worker], world[worker].part().local_nodes(), progress[worker]);
      world[worker].update();
    }
  }
  EXPECT_EQ(progress[0].interval, 16U);
  EXPECT_EQ(progress[1].interval, 8U);
  const std::vector<Picture> pictures = record.pictures(world.partition(), progress);
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_EQ(pictures[1].update, 16U);
  for (const PicturedCell& cell : pictures[1].cells) EXPECT_TRUE(cell.alive == 0 || cell.age <= 16);
}

TEST(PictureRecord, OfNoPicturesIsEmpty) {
  ReplayedWorld world(small_world(), 1, 3);
  const PictureRecord record({}, cells_of_a_worker);
  std::array<PictureProgress, 1> progress{{{.taken = 0, .interval = 1}}};
  record.take(world[0], world[0].part().local_nodes(), progress[0]);
  EXPECT_TRUE(record.pictures(world.partition(), progress).empty());
}

}  // namespace
}  // namespace laxity::evolution
