#include "laxity/launch/rank_snapshots.hpp"

#include <gtest/gtest.h>

namespace laxity {
namespace {

TEST(RankSnapshots, TheSendersEndComesFromTheSenderAndTheReceiversFromTheReceiver) {
  LinkSnapshot sender{.snapshot = 2, .key = {0, 1, 4, 0}, .neighbor_kind = NeighborKind::host, .answered = true};
  LinkSnapshot receiver = sender;
  sender.sender_after = {100, 7};
  sender.inlet_after.attempted = 7;
  receiver.receiver_after = {200, 9};
  receiver.outlet_after.received = 5;
  const LinkSnapshot both = join_ends(sender, receiver);
  EXPECT_EQ(both.key, sender.key);
  EXPECT_EQ(both.sender_after.updates, 7U);
  EXPECT_EQ(both.inlet_after.attempted, 7U);
  EXPECT_EQ(both.receiver_after.updates, 9U);
  EXPECT_EQ(both.outlet_after.received, 5U);
  EXPECT_TRUE(both.answered);
}

TEST(RankSnapshots, ALinkHasAnsweredIfBothItsEndsHave) {
  LinkSnapshot yes, no;
  yes.answered = true;
  EXPECT_FALSE(join_ends(yes, no).answered);
  EXPECT_FALSE(join_ends(no, yes).answered);
  EXPECT_TRUE(join_ends(yes, yes).answered);
}

}  // namespace
}  // namespace laxity
