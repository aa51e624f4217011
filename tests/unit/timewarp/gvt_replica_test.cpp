// Replicas of the state of GVT in several threads, which stand for hosts: the links have the same properties.
#include "laxity/timewarp/gvt/gvt_replica.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <chrono>

#include "laxity/launch/team.hpp"

namespace laxity::timewarp {
namespace {

constexpr AtomicSite any{1, std::memory_order_relaxed};
constexpr TeamOptions three_threads{.threads = 3, .pin = PinPolicy::never, .arena_bytes = std::size_t{1} << 20};

TEST(GvtReplica, ARoundThatOneWorkerStartsIsARoundOfAll) {
  std::array<Key, 3> found{};
  Team team(three_threads);
  const TeamReport report = team.run([&](Worker& worker) {
    GvtReplica replica(worker);
    Gvt gvt(replica.shared_state(), worker.id(), worker.size());
    const auto id = static_cast<std::size_t>(worker.id());
    ASSERT_TRUE(worker.barrier());
    if (id == 0) gvt.start();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool all_current = false;
    while ((gvt.rounds() == 0 || !all_current) && std::chrono::steady_clock::now() < give_up) {
      static_cast<void>(gvt.advance([&] { return GvtReport{Key{10 + (id + 1) % 3, 0}, 4 + id}; }));
      all_current = replica.exchange();
      sched_yield();
    }
    found[id] = gvt.value();
    EXPECT_EQ(gvt.rounds(), 1U);
    EXPECT_TRUE(gvt.has_end());
    EXPECT_EQ(gvt.end(), 4U);
    ASSERT_TRUE(worker.barrier());  // the others read from the links of this worker
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  for (const Key& key : found) EXPECT_EQ(key, (Key{10, 0}));
}

TEST(GvtReplica, TheNewestStateIsSentWhenAFullLinkHasRoom) {
  Team team(three_threads);
  const TeamReport report = team.run([](Worker& worker) {
    GvtReplica replica(worker);
    auto& state = replica.shared_state().workers()[0];
    ASSERT_TRUE(worker.barrier());
    bool all_current = true;
    for (std::uint64_t count = 1; count <= 20; ++count) {
      if (worker.id() == 0) {
        state.received.store(count, any);
        all_current = replica.exchange();
      }
      ASSERT_TRUE(worker.barrier());
      if (worker.id() == 2) {
        static_cast<void>(replica.exchange());
        EXPECT_EQ(state.received.load(any), count);
      }
      ASSERT_TRUE(worker.barrier());
    }
    EXPECT_EQ(all_current, worker.id() != 0) << "worker 1 reads nothing";
    if (worker.id() == 1) {
      static_cast<void>(replica.exchange());
      EXPECT_LT(state.received.load(any), 20U);
    }
    ASSERT_TRUE(worker.barrier());
    if (worker.id() == 0) {
      EXPECT_TRUE(replica.exchange());
    }
    ASSERT_TRUE(worker.barrier());
    if (worker.id() == 1) {
      static_cast<void>(replica.exchange());
      EXPECT_EQ(state.received.load(any), 20U);
    }
    ASSERT_TRUE(worker.barrier());
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
}

}  // namespace
}  // namespace laxity::timewarp
