// Boards that are copies of each other, between threads: what holds there holds over any lossless link.
#include "laxity/timewarp/gvt/gvt_replica.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <chrono>

#include "laxity/launch/team.hpp"

namespace laxity::timewarp {
namespace {

constexpr Site any{1, std::memory_order_relaxed};
constexpr TeamOptions three_threads{.threads = 3, .pin = Pin::never, .arena_bytes = std::size_t{1} << 20};

TEST(GvtReplica, ARoundThatOneWorkerStartsIsARoundOfAll) {
  std::array<Key, 3> found{};
  Team team(three_threads);
  const TeamReport report = team.run([&](Worker& worker) {
    GvtReplica mirror(worker);
    Gvt gvt(mirror.board(), worker.id(), worker.size());
    const auto id = static_cast<std::size_t>(worker.id());
    ASSERT_TRUE(worker.barrier());
    if (id == 0) gvt.start();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool all_told = false;
    while ((gvt.rounds() == 0 || !all_told) && std::chrono::steady_clock::now() < give_up) {
      static_cast<void>(gvt.advance([&] { return GvtReport{Key{10 + (id + 1) % 3, 0}, 4 + id}; }));
      all_told = mirror.exchange();
      sched_yield();
    }
    found[id] = gvt.value();
    EXPECT_EQ(gvt.rounds(), 1U);
    EXPECT_TRUE(gvt.has_end());
    EXPECT_EQ(gvt.end(), 4U);
    ASSERT_TRUE(worker.barrier());  // the others read from links of this one
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  for (const Key& key : found) EXPECT_EQ(key, (Key{10, 0}));
}

TEST(GvtReplica, BehindAFullLinkTheNewestStateWaits) {
  Team team(three_threads);
  const TeamReport report = team.run([](Worker& worker) {
    GvtReplica mirror(worker);
    auto& seat = mirror.board().seats()[0];
    ASSERT_TRUE(worker.barrier());
    bool all_told = true;
    for (std::uint64_t state = 1; state <= 20; ++state) {
      if (worker.id() == 0) {
        seat.received.store(state, any);
        all_told = mirror.exchange();
      }
      ASSERT_TRUE(worker.barrier());
      if (worker.id() == 2) {
        static_cast<void>(mirror.exchange());
        EXPECT_EQ(seat.received.load(any), state);
      }
      ASSERT_TRUE(worker.barrier());
    }
    EXPECT_EQ(all_told, worker.id() != 0) << "worker 1 reads nothing";
    if (worker.id() == 1) {
      static_cast<void>(mirror.exchange());
      EXPECT_LT(seat.received.load(any), 20U);
    }
    ASSERT_TRUE(worker.barrier());
    if (worker.id() == 0) {
      EXPECT_TRUE(mirror.exchange());
    }
    ASSERT_TRUE(worker.barrier());
    if (worker.id() == 1) {
      static_cast<void>(mirror.exchange());
      EXPECT_EQ(seat.received.load(any), 20U);
    }
    ASSERT_TRUE(worker.barrier());
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
}

}  // namespace
}  // namespace laxity::timewarp
