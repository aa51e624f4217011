// Links over MPI as programs use them: link set-up, handshake, exact counts, large frames, several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "laxity/transport/detail/mpi_frame.hpp"
#include "tests/conformance/letters.hpp"
#include "tests/mpi/transport/every_rank.hpp"
#include "tests/mpi/transport/mpi_ledger.hpp"

namespace laxity::conformance {
namespace {

RemoteLink link_of(RingShape shape = {4, 64}, bool overwriting = false) {
  return {.key = BlockKey("test"), .shape = shape, .type = payload_type_of<float>(), .overwriting = overwriting};
}

/// The message of the MpiMismatch that connect() throws.
std::string why_not_connected(MpiLinks& links) {
  try {
    links.connect();
  } catch (const MpiMismatch& mismatch) {
    return mismatch.what();
  }
  return "connected";
}

struct LinksShape {
  MpiVariant variant;
  MpiThreads threads;
};

class MpiLinksOf : public testing::TestWithParam<LinksShape> {
 protected:
  // Where puts need calls of the other rank, each takes a time slice if there are more ranks than cores.
  [[nodiscard]] int updates() const { return GetParam().variant == MpiVariant::one_sided ? 60 : 500; }
  MpiLinks links_{MPI_COMM_WORLD, GetParam().variant, GetParam().threads};
};

TEST_P(MpiLinksOf, AccountForEveryFrameAcrossRanksOnceSettled) {
  EveryRank all(links_, link_of());
  std::vector<std::uint64_t> sent(all.to.size()), received(all.from.size());
  for (int update = 0; update < updates(); ++update) {
    for (std::size_t peer = 0; peer < all.to.size(); ++peer) {
      if (send_letter(all.to[peer], sent[peer])) ++sent[peer];
      received[peer] += (update + this_rank()) % 3 == 0 ? all.from[peer].jump() : 0;
    }
  }
  links_.settle();
  for (std::size_t peer = 0; peer < all.from.size(); ++peer) {
    received[peer] += all.from[peer].jump();
    if (received[peer] != 0) {
      EXPECT_EQ(read_letter(all.from[peer].frame(), 64), received[peer] - 1);
    }
  }
  EXPECT_EQ(received, told_by_each(sent));
}

TEST_P(MpiLinksOf, OverwriteFramesThatAreNotTakenAndCountThem) {
  EveryRank all(links_, link_of({3, 64}, true));
  const auto frames = static_cast<std::uint64_t>(updates());
  for (std::uint64_t number = 0; number < frames; ++number) {
    for (AnySender& sender : all.to) ASSERT_TRUE(send_letter(sender, number));
  }
  links_.settle();
  for (AnyReceiver& receiver : all.from) {
    EXPECT_EQ(receiver.jump(), 3u);
    EXPECT_EQ(read_letter(receiver.frame(), 64), frames - 1);
    EXPECT_EQ(receiver.superseded(), frames - 3);
  }
  meet();
}

TEST_P(MpiLinksOf, AreNeverTornNorOutOfOrderWhileTheyAreOverwritten) {
  constexpr std::size_t capacity = std::size_t{128} << 10;
  RemoteLink link = link_of({1, capacity}, true);
  link.peer = (this_rank() + 1) % ranks();
  AnySender sender = links_.sender(link);
  link.peer = (this_rank() + ranks() - 1) % ranks();
  AnyReceiver receiver = links_.receiver(link);
  links_.connect();
  const auto frames = static_cast<unsigned>(updates()) * 4;
  std::uint64_t moved = 0;
  const auto pull = [&] {
    const std::size_t moves = receiver.jump();
    moved += moves;
    if (moves == 0) return;
    const unsigned expected = static_cast<unsigned>(moved + receiver.superseded());  // its sequence number
    ASSERT_EQ(receiver.frame().size(), capacity);
    const auto* words = reinterpret_cast<const unsigned*>(receiver.frame().data());
    ASSERT_TRUE(std::all_of(words, words + capacity / sizeof *words, [&](unsigned word) { return word == expected; }));
  };
  for (unsigned number = 1; number <= frames; ++number) {
    auto* words = reinterpret_cast<unsigned*>(sender.try_claim());
    ASSERT_NE(words, nullptr);
    std::fill_n(words, capacity / sizeof *words, number);
    sender.publish(capacity);
    pull();
  }
  links_.settle();
  pull();
  EXPECT_EQ(moved + receiver.superseded(), frames);
}

TEST_P(MpiLinksOf, CarryLargeFrames) {
  constexpr std::size_t capacity = std::size_t{1} << 20;
  EveryRank all(links_, link_of({2, capacity}));
  constexpr std::uint64_t frames = 4;
  std::vector<std::uint64_t> sent(all.to.size()), received(all.from.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t peer = 0; peer < all.to.size(); ++peer) {
      if (sent[peer] < frames && send_letter(all.to[peer], sent[peer])) ++sent[peer];
      if (received[peer] < frames && all.from[peer].try_step(1) == 1) {
        EXPECT_EQ(read_letter(all.from[peer].frame(), capacity), received[peer]);
        ++received[peer];
      }
      more |= sent[peer] < frames || received[peer] < frames;
    }
    std::this_thread::yield();
  }
  links_.settle();
}

TEST_P(MpiLinksOf, AreConnectedInAnyOrderAndInSeveralGoes) {
  EveryRank first(links_, link_of());
  std::vector<AnySender> to;
  std::vector<AnyReceiver> from;
  constexpr std::uint32_t channels = 3;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    RemoteLink link = link_of();
    link.peer = (this_rank() + 1) % ranks();
    link.key = BlockKey("ring", channel);
    to.push_back(links_.sender(link));
    link.peer = (this_rank() + ranks() - 1) % ranks();
    link.key = BlockKey("ring", channels - 1 - channel);
    from.push_back(links_.receiver(link));
  }
  EXPECT_EQ(to[0].try_claim(), nullptr) << "refuses until it is connected";
  EXPECT_EQ(from[0].jump(), 0u);
  links_.connect();
  for (std::uint32_t channel = 0; channel < channels; ++channel) ASSERT_TRUE(send_letter(to[channel], channel));
  links_.settle();
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    ASSERT_EQ(from[channel].try_step(1), 1u);
    EXPECT_EQ(read_letter(from[channel].frame(), 64), channels - 1 - channel);
  }
  meet();
}

TEST_P(MpiLinksOf, NameTheLinkWhoseEndsDiffer) {
  RemoteLink link = link_of();
  link.peer = this_rank();
  static_cast<void>(links_.sender(link));
  link.type = payload_type_of<double>();
  static_cast<void>(links_.receiver(link));
  const std::string why = why_not_connected(links_);
  EXPECT_NE(why.find("link test(0, 0, 0) to rank"), std::string::npos) << why;
  EXPECT_NE(why.find("the sender is made for float, the receiver for double"), std::string::npos) << why;
}

TEST_P(MpiLinksOf, NameTheLinkThatLacksAnEndOnAllRanks) {
  if (this_rank() == 0) static_cast<void>(links_.sender(link_of()));
  const std::string why = why_not_connected(links_);
  EXPECT_NE(why.find(this_rank() == 0 ? "the other end was not made" : "other ranks"), std::string::npos) << why;
}

TEST_P(MpiLinksOf, RefuseWhatMakesNoSense) {
  RemoteLink link = link_of();
  static_cast<void>(links_.sender(link));
  EXPECT_THROW(static_cast<void>(links_.sender(link)), UsageError);
  link.peer = ranks();
  EXPECT_THROW(static_cast<void>(links_.sender(link)), UsageError);
  link = link_of({0, 64});
  EXPECT_THROW(static_cast<void>(links_.receiver(link)), UsageError);
  link = link_of();
  link.send_depth = 5;
  EXPECT_THROW(static_cast<void>(links_.receiver(link)), UsageError);
}

TEST_P(MpiLinksOf, ServeSeveralThreadsAtOnce) {
  int granted = 0;
  MPI_Query_thread(&granted);
  if (GetParam().threads == MpiThreads::all && granted != MPI_THREAD_MULTIPLE)
    GTEST_SKIP() << "this MPI does not grant MPI_THREAD_MULTIPLE";
  constexpr std::uint32_t threads = 2;
  const auto frames = static_cast<std::uint64_t>(updates());
  std::vector<AnySender> to;
  std::vector<AnyReceiver> from;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    RemoteLink link = link_of();
    link.key = BlockKey("thread", thread);
    link.peer = (this_rank() + 1) % ranks();
    to.push_back(links_.sender(link));
    link.peer = (this_rank() + ranks() - 1) % ranks();
    from.push_back(links_.receiver(link));
  }
  links_.connect();
  std::vector<std::thread> team;
  std::atomic<std::uint32_t> done{0};
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      std::uint64_t sent = 0;
      for (std::uint64_t received = 0; sent < frames || received < frames; std::this_thread::yield()) {
        if (sent < frames && send_letter(to[thread], sent)) ++sent;
        if (from[thread].try_step(1) == 0) continue;
        EXPECT_EQ(read_letter(from[thread].frame(), 64), received);
        ++received;
      }
      ++done;
    });
  }
  MPI_Request all_done = MPI_REQUEST_NULL;
  for (int over = 0; over == 0; std::this_thread::yield()) {
    links_.relay();
    if (done < threads) continue;
    if (all_done == MPI_REQUEST_NULL) MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
    MPI_Test(&all_done, &over, MPI_STATUS_IGNORE);
  }
  for (std::thread& each : team) each.join();
  links_.settle();
}

INSTANTIATE_TEST_SUITE_P(Variants, MpiLinksOf,
                         testing::Values(LinksShape{MpiVariant::two_sided, MpiThreads::all},
                                         LinksShape{MpiVariant::ready_send, MpiThreads::all},
                                         LinksShape{MpiVariant::one_sided, MpiThreads::all},
                                         LinksShape{MpiVariant::two_sided, MpiThreads::one},
                                         LinksShape{MpiVariant::one_sided, MpiThreads::one}),
                         [](const auto& each) {
                           return std::string(to_string(each.param.variant)) +
                                  (each.param.threads == MpiThreads::one ? "_relayed" : "");
                         });

TEST(MpiVariant, HasANameThatNamesIt) {
  for (const MpiVariant variant : {MpiVariant::two_sided, MpiVariant::ready_send, MpiVariant::one_sided}) {
    EXPECT_EQ(mpi_variant_named(to_string(variant)), variant);
  }
  EXPECT_EQ(mpi_variant_named("three_sided"), std::nullopt);
}

TEST(MpiFrames, OverwrittenWhileTheyAreCopiedAreNotShown) {
  MpiLinks links(MPI_COMM_WORLD, MpiVariant::one_sided);
  RemoteLink link = link_of({2, 64}, true);
  link.peer = this_rank();
  AnySender sender = links.sender(link);
  AnyReceiver receiver = links.receiver(link);
  links.connect();
  ASSERT_TRUE(send_letter(sender, 0));
  after_the_next_copy([&] {
    for (std::uint64_t number = 1; number < 20; ++number) ASSERT_TRUE(send_letter(sender, number));
  });
  EXPECT_EQ(receiver.try_step(1), 1u);
  EXPECT_EQ(read_letter(receiver.frame(), 64), 18u) << "the older of the two that are still there";
  EXPECT_EQ(receiver.superseded(), 18u);
}

TEST(MpiFrames, OfAnotherVersionAreANamedErrorAndAreNotShown) {
  MpiLinks links(MPI_COMM_WORLD);
  RemoteLink link = link_of();
  link.peer = this_rank();
  AnySender sender = links.sender(link);
  AnyReceiver receiver = links.receiver(link);
  links.connect();
  send_another_version(true);
  ASSERT_TRUE(send_letter(sender, 1));
  send_another_version(false);
  while (receiver.try_step(1) == 0) {
    try {
      links.check();
    } catch (const MpiMismatch& mismatch) {
      const std::string why = mismatch.what();
      EXPECT_NE(why.find("link test(0, 0, 0) from rank"), std::string::npos) << why;
      const std::string versions = "version " + std::to_string(detail::mpi_frame_version + 1) + ", expected " +
                                   std::to_string(detail::mpi_frame_version);
      EXPECT_NE(why.find(versions), std::string::npos) << why;
      EXPECT_TRUE(receiver.frame().empty());
      return;
    }
  }
  FAIL() << "the frame was shown";
}

}  // namespace
}  // namespace laxity::conformance
