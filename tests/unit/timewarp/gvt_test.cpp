// GVT rounds step by step: what a round waits for and its result.
#include "laxity/timewarp/gvt/gvt.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace laxity::timewarp {
namespace {

Key at(std::uint64_t time) { return {time, 0}; }

struct alignas(64) SharedState {
  std::byte bytes[1024] = {};
  Gvt worker(int worker, int workers) { return {*reinterpret_cast<GvtSharedState*>(bytes), worker, workers}; }
};

bool advance(Gvt& gvt, std::uint64_t min_pending) {
  return gvt.advance([=] { return GvtReport{at(min_pending)}; });
}

TEST(Gvt, OfOneWorkerIsItsLeastEvent) {
  SharedState shared;
  Gvt gvt = shared.worker(0, 1);
  EXPECT_FALSE(advance(gvt, 5)) << "no worker has started a round";
  gvt.start();
  EXPECT_TRUE(advance(gvt, 5));
  EXPECT_EQ(gvt.value(), at(5));
  EXPECT_EQ(gvt.rounds(), 1U);
  gvt.start();
  EXPECT_TRUE(gvt.advance([] { return GvtReport{latest_key}; }));
  EXPECT_TRUE(gvt.finished());
}

TEST(Gvt, ARoundWaitsForAllWorkers) {
  SharedState shared;
  Gvt a = shared.worker(0, 2);
  Gvt b = shared.worker(1, 2);
  a.start();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(advance(a, 5));
  EXPECT_FALSE(advance(b, 3)) << "b joins and reports; a could not report before b had joined";
  EXPECT_TRUE(advance(a, 5));
  EXPECT_TRUE(advance(b, 3));
  EXPECT_EQ(a.value(), at(3));
  EXPECT_EQ(b.value(), at(3));
}

TEST(Gvt, ARoundWaitsForAMessageInFlight) {
  SharedState shared;
  Gvt a = shared.worker(0, 2);
  Gvt b = shared.worker(1, 2);
  const unsigned color = a.sending(at(4));
  a.start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(advance(a, 9));
    EXPECT_FALSE(advance(b, 9));
  }
  b.received(color);
  EXPECT_FALSE(advance(b, 4)) << "b reports, but a has not seen it";
  EXPECT_TRUE(advance(a, 9));
  EXPECT_TRUE(advance(b, 4));
  EXPECT_EQ(a.value(), at(4));
  EXPECT_EQ(b.value(), at(4));
}

TEST(Gvt, AMessageSentDuringTheRoundBoundsIt) {
  SharedState shared;
  Gvt a = shared.worker(0, 2);
  Gvt b = shared.worker(1, 2);
  a.start();
  EXPECT_FALSE(advance(a, 6));  // joins; b has not
  static_cast<void>(a.sending(at(6)));
  EXPECT_FALSE(advance(b, 9));  // joins and reports
  EXPECT_TRUE(advance(a, 9));   // whatever a has processed meanwhile
  EXPECT_EQ(a.value(), at(6));
  // The next round waits for that message.
  a.start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(advance(a, 9) && a.rounds() == 2);
    EXPECT_FALSE(advance(b, 9) && b.rounds() == 2);
  }
}

TEST(Gvt, TimesAreInstants) {
  SharedState shared;
  Gvt gvt = shared.worker(0, 1);
  gvt.start();
  EXPECT_TRUE(gvt.advance([] { return GvtReport{Key{5, (std::uint64_t{2} << 48) | 77}.instant()}; }));
  EXPECT_EQ(gvt.value(), (Key{5, std::uint64_t{2} << 48}));
  EXPECT_LT(gvt.value(), (Key{5, (std::uint64_t{2} << 48) | 1}));
}

TEST(Gvt, AnEndCountsOnceItIsIrrevocable) {
  SharedState shared;
  Gvt a = shared.worker(0, 2), b = shared.worker(1, 2);
  const auto round = [&](std::uint64_t min_of_a, std::uint64_t min_of_b, std::uint64_t end_of_a,
                         std::uint64_t end_of_b) {
    const auto report_of_a = [&] { return GvtReport{at(min_of_a), end_of_a}; };
    const auto report_of_b = [&] { return GvtReport{at(min_of_b), end_of_b}; };
    a.start();
    EXPECT_FALSE(a.advance(report_of_a));
    EXPECT_FALSE(b.advance(report_of_b));
    EXPECT_TRUE(a.advance(report_of_a));
    EXPECT_TRUE(b.advance(report_of_b));
    EXPECT_EQ(a.has_end(), b.has_end());
  };
  const std::uint64_t none = latest_key.time;
  round(9, 5, 7, none);
  EXPECT_FALSE(a.has_end()) << "b may still send a straggler";
  EXPECT_EQ(a.irrevocable_below(), at(5));
  round(9, 7, 7, none);
  EXPECT_FALSE(a.has_end()) << "events of its time are pending";
  round(9, 8, none, none);
  EXPECT_FALSE(a.has_end()) << "it was rolled back";
  round(20, 30, 12, 10);
  ASSERT_TRUE(a.has_end());
  EXPECT_EQ(a.end(), 10U);
  EXPECT_EQ(b.end(), 10U);
  EXPECT_TRUE(a.finished());
  EXPECT_EQ(a.irrevocable_below(), at(11)) << "events at the end still belong to the run";
}

}  // namespace
}  // namespace laxity::timewarp
