#include "laxity/transport/shared_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "laxity/error.hpp"
#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity {
namespace {

const std::string ring_name = "test-ring-" + std::to_string(::getpid());

TEST(SharedRing, EndsMustAgreeOnTheShape) {
  Arena arena(Segment::private_memory(1 << 16), 4);
  (void)shared_sender<SpscRing>(arena, BlockKey("ring"), {2, 64});
  EXPECT_THROW((void)shared_receiver<SpscRing>(arena, BlockKey("ring"), {3, 64}), UsageError);
}

TEST(NamedRing, IsNotAttachedToAsAnotherFamilyOrShape) {
  const auto created = NamedRing<SpscRing>::create(ring_name, {2, 64});
  EXPECT_NO_THROW((void)NamedRing<SpscRing>::attach(ring_name, {2, 64}));
  EXPECT_THROW((void)NamedRing<LatestSlot>::attach(ring_name, {2, 64}), Error);
  EXPECT_THROW((void)NamedRing<SpscRing>::attach(ring_name, {3, 64}), Error);
  EXPECT_THROW((void)NamedRing<SpscRing>::attach(ring_name, {2, 63}), Error) << "the same bytes, another shape";
}

TEST(NamedRing, IsNotFoundInASegmentWithoutOne) {
  const Segment small = Segment::create_named(ring_name + "-small", 64);
  const Segment empty = Segment::create_named(ring_name + "-empty", 4096);
  EXPECT_THROW((void)NamedRing<SpscRing>::attach(ring_name + "-small", {2, 64}), Error);
  EXPECT_THROW((void)NamedRing<SpscRing>::attach(ring_name + "-empty", {2, 64}), Error);
  EXPECT_THROW((void)NamedRing<SpscRing>::attach(ring_name + "-none", {2, 64}), SystemError);
}

TEST(NamedRing, EndsOutliveTheObjectTheyCameFrom) {
  auto sender = NamedRing<SpscRing>::create(ring_name, {2, 64}).sender();
  auto receiver = NamedRing<SpscRing>::attach(ring_name, {2, 64}).receiver();
  ASSERT_NE(sender.try_claim(), nullptr);
  sender.publish(8);
  EXPECT_EQ(receiver.try_step(1), 1u);
}

}  // namespace
}  // namespace laxity
