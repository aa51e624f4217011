#include "workloads/evolution/world/quorum.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/random.hpp"

namespace laxity::evolution {
namespace {

// A torus of cells that exchange messages with loss: the receiver of a lost message still sees the one before.
class Torus {
 public:
  Torus(std::size_t side, double loss, std::uint64_t seed)
      : side_(side),
        loss_(loss),
        random_(seed),
        cells_(side * side),
        trips_(side * side),
        group_(side * side),
        inbox_(side * side) {
    for (Quorum& cell : cells_) cell.found(random_);
  }

  void update() {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      for (std::size_t d = 0; d < directions; ++d) {
        const std::size_t to = neighbor(cell, d);
        if (random_.unit() < loss_) continue;
        inbox_[to].messages[opposite(d)] = cells_[cell].message_to(d);
        inbox_[to].groups[opposite(d)] = group_[cell];
        inbox_[to].stamps[opposite(d)] = trips_[cell].stamp(d);
      }
    }
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      std::array<Quorum::Message, directions> messages = inbox_[cell].messages;
      for (std::size_t d = 0; d < directions; ++d) {
        if (inbox_[cell].groups[d] != group_[cell]) messages[d].known = 0;
      }
      cells_[cell].receive(messages, trips_[cell].receive(inbox_[cell].stamps));
    }
  }

  // Another cell takes the place of this one.
  void replace(std::size_t cell, int group) {
    group_[cell] = group;
    cells_[cell].found(random_);
  }

  // The number of distinct bits of all cells of the group: what every one of them should read. Groups here are connected.
  [[nodiscard]] int truth(int group) const {
    Quorum::Bits bits = 0;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      if (group_[cell] == group) bits |= own_bit(cell);
    }
    return std::popcount(bits);
  }
  [[nodiscard]] bool everybody_knows_the_truth() const {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      if (cells_[cell].size() != truth(group_[cell])) return false;
    }
    return true;
  }
  [[nodiscard]] bool settles_within(int updates) {
    for (int i = 0; i < updates; ++i) {
      if (everybody_knows_the_truth()) return true;
      update();
    }
    return everybody_knows_the_truth();
  }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  [[nodiscard]] SeededRandom& random() { return random_; }

 private:
  [[nodiscard]] Quorum::Bits own_bit(std::size_t cell) const {
    // What a cell sends everywhere although it has learned nothing: copy it and let every neighbor fall silent.
    Quorum alone = cells_[cell];
    alone.receive({}, false);
    return alone.known();
  }
  [[nodiscard]] static std::size_t opposite(std::size_t d) { return d ^ 1; }
  [[nodiscard]] std::size_t neighbor(std::size_t cell, std::size_t d) const {
    const std::size_t x = cell % side_;
    const std::size_t y = cell / side_;
    switch (d) {
      case 0:
        return y * side_ + (x + 1) % side_;
      case 1:
        return y * side_ + (x + side_ - 1) % side_;
      case 2:
        return (y + 1) % side_ * side_ + x;
      default:
        return (y + side_ - 1) % side_ * side_ + x;
    }
  }

  struct Inbox {
    std::array<Quorum::Message, directions> messages{};
    std::array<int, directions> groups{};
    std::array<RoundTrips::Stamp, directions> stamps{};
  };

  std::size_t side_;
  double loss_;
  SeededRandom random_;
  std::vector<Quorum> cells_;
  std::vector<RoundTrips> trips_;
  std::vector<int> group_;
  std::vector<Inbox> inbox_;
};

TEST(Quorum, SpreadsOverAGroup) {
  Torus torus(6, 0, 1);
  EXPECT_TRUE(torus.settles_within(12));
}

TEST(Quorum, ACellAloneCountsItself) {
  SeededRandom random(1);
  Quorum cell;
  cell.found(random);
  EXPECT_EQ(cell.size(), 1);
  cell.receive({}, true);
  EXPECT_EQ(cell.size(), 1);
}

TEST(Quorum, DoesNotSendABitBackToWhereItCameFrom) {
  SeededRandom random(1);
  Quorum cell;
  cell.found(random);
  const Quorum::Bits own = cell.known();
  const Quorum::Bits other = own == 1 ? 2 : 1;
  cell.receive({Quorum::Message{other, 0}}, true);
  EXPECT_EQ(cell.message_to(0).known, own);
  EXPECT_EQ(cell.message_to(0).dependent, other);
  EXPECT_EQ(cell.message_to(1).known, own | other);
}

TEST(Quorum, ForgetsDeadCells) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Torus torus(6, 0, seed);
    ASSERT_TRUE(torus.settles_within(20));
    torus.replace(torus.random().below(static_cast<std::uint32_t>(torus.size())), 1);
    EXPECT_TRUE(torus.settles_within(60)) << "seed " << seed;
  }
}

// The alternating exchange of the original stops for ever after one lost message, and a list of the bits withdrawn lately leaves
// bits of dead cells in a third of these runs.
TEST(Quorum, RecoversFromAnyLossOfMessages) {
  for (const double loss : {0.2, 0.5, 0.9}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Torus torus(6, loss, seed);
      ASSERT_TRUE(torus.settles_within(1000)) << "loss " << loss << ", seed " << seed;
      for (int i = 0; i < 3; ++i) torus.replace(torus.random().below(static_cast<std::uint32_t>(torus.size())), 0);
      EXPECT_TRUE(torus.settles_within(1000)) << "loss " << loss << ", seed " << seed;
    }
  }
}

TEST(Quorum, ReadsTheSizesThatCollisionsLeave) {
  SeededRandom random(2);
  const auto mean_size = [&](int cells) {
    constexpr int groups = 20'000;
    double sum = 0;
    for (int i = 0; i < groups; ++i) {
      Quorum::Bits bits = 0;
      for (int n = 0; n < cells; ++n) {
        Quorum cell;
        cell.found(random);
        bits |= cell.known();
      }
      sum += std::popcount(bits);
    }
    return sum / groups;
  };
  EXPECT_NEAR(mean_size(12), 11.0, 0.05);
  EXPECT_NEAR(mean_size(24), 20.1, 0.1);
  EXPECT_NEAR(mean_size(36), 27.7, 0.1);
}

}  // namespace
}  // namespace laxity::evolution
