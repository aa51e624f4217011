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
  EXPECT_THROW((void)shared_receiver<SpscRing>(arena, BlockKey("ring"), {2, 63}), UsageError) << "the same bytes";
}

TEST(SharedRing, EndsMustAgreeOnTheType) {
  Arena arena(Segment::private_memory(1 << 16), 4);
  const BlockKey key("ring", 3, 4);
  (void)shared_sender<SpscRing>(arena, key, {2, 64}, payload_type_of<std::uint64_t>());
  EXPECT_NO_THROW((void)shared_receiver<SpscRing>(arena, key, {2, 64}, payload_type_of<std::uint64_t>()));
  try {
    (void)shared_receiver<SpscRing>(arena, key, {3, 64}, payload_type_of<double>());
    FAIL() << "accepted";
  } catch (const TypeMismatch& mismatch) {
    EXPECT_STREQ(
        mismatch.what(),
        "block ring(3, 4, 0): this end is made for double, the other one for unsigned long; both must be of the "
        "same type");
  }
}

namespace here {
struct Point {
  float x, y;
};
}  // namespace here

TEST(PayloadType, IsNamedAlikeByAllCompilers) {
  const auto name_of = []<class T>(T) { return payload_type_of<T>().text(); };
  EXPECT_EQ(name_of(std::uint64_t{}), "unsigned long");
  EXPECT_EQ(name_of(std::uint16_t{}), "unsigned short");
  EXPECT_EQ(name_of(std::pair<std::uint64_t, std::int64_t>{}), "std::pair<unsigned long, long>");
  EXPECT_EQ(name_of(std::pair<int, std::pair<int, int>>{}), "std::pair<int, std::pair<int, int>>");
  EXPECT_EQ(name_of(here::Point{}), "laxity::(anonymous namespace)::here::Point");
  EXPECT_NE(payload_type_of<float>().hash, payload_type_of<int>().hash);
  EXPECT_EQ(detail::payload_type("Point", 8, 4).hash, detail::payload_type("Point", 8, 4).hash);
  EXPECT_NE(detail::payload_type("Point", 8, 4).hash, detail::payload_type("Point", 12, 4).hash)
      << "of another version";
  EXPECT_NE(detail::payload_type("Point", 8, 4).hash, detail::payload_type("Point", 8, 8).hash);
  EXPECT_EQ(detail::payload_type(std::string(500, 'x'), 1, 1).text().size(), PayloadType::max_name);
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
