#include "laxity/transport/impaired.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/transport/link.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity {
namespace {

struct TestTime {
  std::int64_t* time_ns;
  [[nodiscard]] std::int64_t now_ns() const noexcept { return *time_ns; }
};

template <class Ring = SpscRing>
class ImpairedLink {
 public:
  explicit ImpairedLink(const Faults& faults, std::uint64_t seed = 1, std::size_t depth = 8)
      : ImpairedLink(make_link<Ring>({depth, sizeof(std::uint64_t) + impairment_bytes}), faults, seed) {}

  bool send(std::uint64_t number) {
    std::byte* room = sender.try_claim();
    if (room == nullptr) return false;
    std::memcpy(room, &number, sizeof number);
    sender.publish(sizeof number);
    return true;
  }
  std::optional<std::uint64_t> receive() {
    if (receiver.try_step(1) == 0) return {};
    std::uint64_t number = 0;
    std::memcpy(&number, receiver.frame().data(), sizeof number);
    return number;
  }

  std::int64_t time_ns = 0;
  ImpairedSender<typename Link<Ring>::Sender, TestTime> sender;
  ImpairedReceiver<typename Link<Ring>::Receiver, TestTime> receiver;

 private:
  ImpairedLink(Link<Ring> link, const Faults& faults, std::uint64_t seed)
      : sender(std::move(link.sender), faults, seed, TestTime{&time_ns}),
        receiver(std::move(link.receiver), faults, sizeof(std::uint64_t), TestTime{&time_ns}) {}
};

TEST(Impaired, RefusesFaultsThatMakeNoSense) {
  const auto make = [](const Faults& faults) { ImpairedLink<> link(faults); };
  EXPECT_THROW(make({.loss = 1.1}), UsageError);
  EXPECT_THROW(make({.loss = -0.1}), UsageError);
  EXPECT_THROW(make({.delay_ns = -1}), UsageError);
  EXPECT_THROW(make({.overtaking = 0}), UsageError);
  EXPECT_THROW(make({.stall = 2}), UsageError);
}

TEST(Impaired, LosesAboutWhatItIsToldAndCountsIt) {
  ImpairedLink link({.loss = 0.25});
  std::uint64_t received = 0;
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    ASSERT_TRUE(link.send(number));
    if (const auto came = link.receive()) {
      ASSERT_EQ(came, number);
      ++received;
    }
  }
  EXPECT_EQ(received + link.sender.counts().lost, 10'000u);
  EXPECT_NEAR(static_cast<double>(link.sender.counts().lost), 2500, 250);
  ImpairedLink dead({.loss = 1});
  ASSERT_TRUE(dead.send(1));
  EXPECT_EQ(dead.receive(), std::nullopt);
}

TEST(Impaired, AFrameIsKeptBackUntilItIsDue) {
  ImpairedLink link({.delay_ns = 100});
  ASSERT_TRUE(link.send(1));
  link.time_ns = 60;
  ASSERT_TRUE(link.send(2));
  EXPECT_EQ(link.receive(), std::nullopt);
  link.time_ns = 99;
  EXPECT_EQ(link.receive(), std::nullopt);
  EXPECT_TRUE(link.receiver.frame().empty());
  link.time_ns = 100;
  EXPECT_EQ(link.receive(), 1u);
  EXPECT_EQ(link.receive(), std::nullopt);
  EXPECT_EQ(link.receiver.jump(), 0u);
  link.time_ns = 160;
  EXPECT_EQ(link.receive(), 2u);
  EXPECT_EQ(link.sender.counts().delayed, 2u);
}

TEST(Impaired, TheFrameShownStaysWhileTheNextIsKeptBack) {
  ImpairedLink link({.delay_ns = 100});
  ASSERT_TRUE(link.send(1));
  link.time_ns = 100;
  ASSERT_EQ(link.receive(), 1u);
  const auto shown = link.receiver.frame();
  for (std::uint64_t number = 2; link.send(number);) ++number;
  EXPECT_EQ(link.receive(), std::nullopt);
  EXPECT_EQ(link.receiver.frame().data(), shown.data());
  EXPECT_EQ(static_cast<int>(shown[0]), 1);
}

TEST(Impaired, KeepsTheOrderUnlessFramesMayOvertake) {
  for (const std::size_t overtaking : {std::size_t{1}, std::size_t{4}}) {
    ImpairedLink link({.delay_ns = 0, .delay_spread_ns = 1000, .overtaking = overtaking}, 5);
    std::vector<std::uint64_t> order;
    for (std::uint64_t number = 0; number < 2000;) {
      if (link.send(number)) ++number;
      while (const auto came = link.receive()) order.push_back(*came);
      link.time_ns += 100;
    }
    link.time_ns += 10'000;
    while (const auto came = link.receive()) order.push_back(*came);
    ASSERT_EQ(order.size(), 2000u);
    EXPECT_EQ(std::is_sorted(order.begin(), order.end()), overtaking == 1);
    EXPECT_EQ(link.receiver.reordered() == 0, overtaking == 1);
    std::sort(order.begin(), order.end());
    EXPECT_TRUE(std::adjacent_find(order.begin(), order.end()) == order.end()) << "nothing twice";
  }
}

TEST(Impaired, AStallHoldsUpAllThatFollows) {
  ImpairedLink link({.stall = 1, .stall_ns = 50});
  ASSERT_TRUE(link.send(1));
  link.time_ns = 49;
  EXPECT_EQ(link.receive(), std::nullopt);
  link.time_ns = 50;
  EXPECT_EQ(link.receive(), 1u);
  EXPECT_EQ(link.sender.counts().stalls, 1u);
}

TEST(Impaired, NothingArrivesInAFreezeAndNothingIsLostByIt) {
  ImpairedLink link({.freeze_from_ns = 100, .freeze_until_ns = 200}, 1, 3);
  link.time_ns = 100;
  std::uint64_t accepted = 0;
  while (link.send(accepted)) ++accepted;
  EXPECT_EQ(accepted, 3u) << "the link fills up behind the freeze";
  EXPECT_EQ(link.receive(), std::nullopt);
  link.time_ns = 200;
  for (std::uint64_t expected = 0; expected < accepted; ++expected) EXPECT_EQ(link.receive(), expected);
}

// All faults at once: the counts are consistent after every operation, and the same seed gives the same run.
template <class Ring>
auto run_with_all_faults(std::uint64_t seed) {
  ImpairedLink<Ring> link({.loss = 0.1,
                           .delay_ns = 200,
                           .delay_spread_ns = 500,
                           .overtaking = 3,
                           .stall = 0.02,
                           .stall_ns = 2000,
                           .freeze_from_ns = 50'000,
                           .freeze_until_ns = 70'000},
                          seed, 4);
  SeededRandom random(seed);
  std::vector<std::tuple<std::uint64_t, std::uint64_t>> history;
  std::uint64_t attempts = 0, refused = 0, moved = 0;
  for (int operation = 0; operation < 5000; ++operation) {
    link.time_ns += random.below(60);
    if (random.below(2) == 0) {
      if (!link.send(attempts++)) ++refused;
    } else {
      moved += random.below(4) == 0 ? link.receiver.jump() : link.receiver.try_step(1 + random.below(2));
    }
    EXPECT_EQ(link.sender.counts().published, attempts - refused);
    history.emplace_back(moved, link.receiver.superseded());
  }
  link.time_ns += 1'000'000;
  for (std::size_t more = 1; more != 0;) moved += more = link.receiver.jump();
  EXPECT_EQ(link.receiver.held(), 0u);
  EXPECT_EQ(attempts, refused + moved + link.receiver.superseded() + link.sender.counts().lost);
  EXPECT_GT(link.sender.counts().lost * link.receiver.reordered() * link.sender.counts().stalls, 0u);
  return history;
}

TEST(Impaired, AccountingIsExactUnderAllFaultsAndReplaysFromItsSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(run_with_all_faults<SpscRing>(seed), run_with_all_faults<SpscRing>(seed));
    EXPECT_EQ(run_with_all_faults<OverwritingRing>(seed), run_with_all_faults<OverwritingRing>(seed));
  }
  EXPECT_NE(run_with_all_faults<SpscRing>(1), run_with_all_faults<SpscRing>(2));
}

}  // namespace
}  // namespace laxity
