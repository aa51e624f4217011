// The number of frames in flight is bounded for any behavior of the receiver, so a backlog cannot grow by itself.
//
// Source: the spiral in Moreno and Ofria, "Best-effort communication improves performance and scales robustly on
// conventional hardware", II-F: a delayed process gets more messages than it can receive, so that its delay grows.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "laxity/transport/impaired.hpp"
#include "tests/conformance/letters.hpp"
#include "tests/mpi/transport/every_rank.hpp"
#include "tests/mpi/transport/mpi_ledger.hpp"

namespace laxity::conformance {
namespace {

constexpr RingShape shape{64, 64};

struct UpdateClock {
  std::shared_ptr<std::int64_t> now = std::make_shared<std::int64_t>(0);
  [[nodiscard]] std::int64_t now_ns() const noexcept { return *now; }
};

/// A ring of ranks that put and pull once in each update. The link to rank 0 is frozen for some time.
class RingOfRanks {
 public:
  explicit RingOfRanks(MpiLinks& links) {
    RemoteLink link{.key = BlockKey("ring"), .shape = {shape.depth, shape.frame_capacity + impairment_bytes}};
    link.peer = (this_rank() + 1) % ranks();
    AnySender plain_sender = links.sender(link);
    link.peer = (this_rank() + ranks() - 1) % ranks();
    AnyReceiver plain_receiver = links.receiver(link);
    links.connect();
    Faults faults;
    if (this_rank() == 0) {
      faults.freeze_from_ns = frozen_from;
      faults.freeze_until_ns = frozen_until;
    }
    auto [sender, receiver] = impair(std::move(plain_sender), std::move(plain_receiver), faults, 1, clock_);
    to_right_ = std::move(sender);
    from_left_ = std::move(receiver);
  }

  static constexpr std::int64_t frozen_from = 100;
  static constexpr std::int64_t frozen_until = 600;

  /// Returns the number of frames that the pull moved.
  std::size_t update() {
    ++*clock_.now;
    if (send_letter(to_right_, sent)) ++sent;
    return pull();
  }
  std::size_t pull() {
    const std::size_t moved = from_left_.jump();
    received += moved;
    if (moved != 0) {
      EXPECT_EQ(read_letter(from_left_.frame(), shape.frame_capacity), received - 1);
    }
    return moved;
  }

  std::uint64_t sent = 0;
  std::uint64_t received = 0;

 private:
  UpdateClock clock_;
  AnySender to_right_;
  AnyReceiver from_left_;
};

class MpiBacklogOf : public testing::TestWithParam<MpiVariant> {};

TEST_P(MpiBacklogOf, StaysBoundedWhileTheReceiverIsFrozenAndIsGoneAfterIt) {
  MpiLinks links(MPI_COMM_WORLD, GetParam());
  RingOfRanks ring(links);
  std::int64_t update = 0;
  const auto run_until = [&](std::int64_t end) {
    for (; update < end; ++update) ring.update();
  };
  run_until(RingOfRanks::frozen_from - 1);
  links.settle();
  ring.pull();
  const std::uint64_t sent_before = ring.sent;
  meet();

  run_until(RingOfRanks::frozen_until - 2);  // 500 updates at full speed while the receiver is frozen
  const int victim = 0;
  if ((this_rank() + 1) % ranks() == victim) {
    EXPECT_LE(ring.sent - sent_before, shape.depth);
  }
  meet();

  run_until(RingOfRanks::frozen_until + 500);  // the spiral would start here: a backlog, and new frames all the time
  links.settle();
  EXPECT_LE(ring.pull(), shape.depth) << "a pull has bounded work";
  EXPECT_EQ(ring.pull(), 0u);
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks()), 0);
  sent[static_cast<std::size_t>((this_rank() + 1) % ranks())] = ring.sent;
  const std::size_t left = static_cast<std::size_t>((this_rank() + ranks() - 1) % ranks());
  EXPECT_EQ(ring.received, told_by_each(sent)[left]);
}

TEST_P(MpiBacklogOf, IsTakenInByFewCalls) {
  MpiLinks links(MPI_COMM_WORLD, GetParam());
  RemoteLink link{.peer = this_rank(), .key = BlockKey("self"), .shape = shape};
  AnySender sender = links.sender(link);
  AnyReceiver receiver = links.receiver(link);
  links.connect();
  for (std::uint64_t number = 0; number < shape.depth; ++number) ASSERT_TRUE(send_letter(sender, number));
  const std::int64_t calls_before = mpi_ledger().calls;
  ASSERT_EQ(receiver.jump(), shape.depth);
  EXPECT_LE(mpi_ledger().calls - calls_before, 10) << "for " << shape.depth << " frames";
  meet();
}

INSTANTIATE_TEST_SUITE_P(Variants, MpiBacklogOf,
                         testing::Values(MpiVariant::two_sided, MpiVariant::ready_send, MpiVariant::one_sided),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace laxity::conformance
