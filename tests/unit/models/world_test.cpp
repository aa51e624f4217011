// Files of places and travel: what is read, and what is refused with its line and column.
#include "workloads/models/world.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "laxity/error.hpp"

namespace laxity::models {
namespace {

class Worlds : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("laxity_world_") + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  World read(const std::string& places, const std::string& travel) const {
    std::ofstream(folder_ / "places.csv") << places;
    std::ofstream(folder_ / "travel.csv") << travel;
    return read_world(folder_ / "places.csv", folder_ / "travel.csv");
  }

  std::string refusal(const std::string& places, const std::string& travel) const {
    try {
      static_cast<void>(read(places, travel));
    } catch (const Error& error) {
      const std::string line = error.what();
      return line.substr(line.find_last_of('/') + 1);
    }
    return "none";
  }

  const std::string places_ = "place,population,infected\nnorth,1000,5\nsouth,200,0\n";
  const std::string travel_ = "from,north,south\nnorth,0,0.01\nsouth,0.05,0.5\n";
  std::filesystem::path folder_;
};

TEST_F(Worlds, AreReadFromTwoFiles) {
  const World world = read(places_, travel_);
  ASSERT_EQ(world.places.size(), 2U);
  EXPECT_EQ(world.places[0].name, "north");
  EXPECT_EQ(world.places[0].population, 1000U);
  EXPECT_EQ(world.places[0].infected, 5U);
  EXPECT_EQ(world.share(0, 1), 0.01);
  EXPECT_EQ(world.share(1, 0), 0.05);
  EXPECT_EQ(world.share(1, 1), 0) << "who stays does not travel";
}

TEST_F(Worlds, ThatMakeNoSenseAreRefusedWithLineAndColumn) {
  EXPECT_EQ(refusal("", travel_).substr(0, 15), "places.csv:1:1:");
  EXPECT_EQ(refusal("place,people,infected\n", travel_).substr(0, 15), "places.csv:1:2:");
  EXPECT_EQ(refusal("place,population,infected\n", travel_).substr(0, 15), "places.csv:2:1:");
  EXPECT_EQ(refusal("place,population,infected\nnorth,many,0\n", travel_).substr(0, 15), "places.csv:2:2:");
  EXPECT_EQ(refusal("place,population,infected\nnorth,5,6\n", travel_).substr(0, 15), "places.csv:2:3:");
  EXPECT_EQ(refusal("place,population,infected\nnorth,5\n", travel_).substr(0, 15), "places.csv:2:3:");
  EXPECT_EQ(refusal("place,population,infected\nnorth,-5,0\n", travel_).substr(0, 15), "places.csv:2:2:");
  EXPECT_EQ(refusal(places_, "from,north\nnorth,0\n").substr(0, 15), "travel.csv:3:1:");
  EXPECT_EQ(refusal(places_, "from,south,north\nnorth,0,1\nsouth,1,0\n").substr(0, 15), "travel.csv:1:2:");
  EXPECT_EQ(refusal(places_, "from,north,south\nsouth,0,1\nnorth,1,0\n").substr(0, 15), "travel.csv:2:1:");
  EXPECT_EQ(refusal(places_, "from,north,south\nnorth,0,nan\nsouth,1,0\n").substr(0, 15), "travel.csv:2:3:");
  EXPECT_EQ(refusal(places_, "from,north,south\nnorth,0,1,1\nsouth,1,0\n").substr(0, 15), "travel.csv:2:4:");
  EXPECT_EQ(refusal(places_, "from,north,south\nnorth,0\nsouth,1,0\n").substr(0, 15), "travel.csv:2:3:");
  EXPECT_THROW(static_cast<void>(read_world(folder_ / "none.csv", folder_ / "none.csv")), UsageError);
}

TEST_F(Worlds, OfASquareHaveFourNeighborsEach) {
  const World world = square_world(4, 100, 0.1, 0.2);
  for (std::size_t from = 0; from < 16; ++from) {
    double leaving = 0;
    int neighbors = 0;
    for (std::size_t to = 0; to < 16; ++to) {
      leaving += world.share(from, to);
      neighbors += world.share(from, to) > 0;
    }
    EXPECT_DOUBLE_EQ(leaving, 0.2);
    EXPECT_EQ(neighbors, 4);
    EXPECT_EQ(world.places[from].infected, from < 4 ? 10U : 0U);
  }
}

}  // namespace
}  // namespace laxity::models
