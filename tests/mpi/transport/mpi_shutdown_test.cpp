// Links can be closed at any time: no resource of MPI is left, no request is canceled, and closed ends do no harm.
#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/letters.hpp"
#include "tests/mpi/transport/every_rank.hpp"
#include "tests/mpi/transport/mpi_ledger.hpp"

namespace laxity::conformance {
namespace {

class MpiShutdownOf : public testing::TestWithParam<MpiVariant> {
 protected:
  void SetUp() override { mpi_ledger() = {}; }
  void expect_all_released() {
    MpiLedger expected{};
    expected.calls = mpi_ledger().calls;
    EXPECT_EQ(mpi_ledger().requests, 0);
    EXPECT_EQ(mpi_ledger().persistent, 0);
    EXPECT_EQ(mpi_ledger().communicators, 0);
    EXPECT_EQ(mpi_ledger().windows, 0);
    EXPECT_EQ(mpi_ledger().canceled, 0);
    EXPECT_EQ(mpi_ledger(), expected);
  }
};

TEST_P(MpiShutdownOf, ReleasesEverythingWithFramesInFlight) {
  for (const std::size_t capacity : {std::size_t{64}, std::size_t{1} << 20}) {  // eager and rendezvous messages
    MpiLinks links(MPI_COMM_WORLD, GetParam());
    EveryRank all(links, {.key = BlockKey("queue"), .shape = {4, capacity}});
    EveryRank overwriting(links, {.key = BlockKey("newest"), .shape = {4, capacity}, .overwriting = true});
    for (std::uint64_t number = 0; number < 6; ++number) {
      for (AnySender& sender : all.to) send_letter(sender, number);
      for (AnySender& sender : overwriting.to) send_letter(sender, number);
    }
    for (AnyReceiver& receiver : all.from) static_cast<void>(receiver.try_step(1));
    links.close();
    expect_all_released();
  }
}

TEST_P(MpiShutdownOf, ReleasesEverythingWithoutAFrame) {
  {
    MpiLinks links(MPI_COMM_WORLD, GetParam());
    EveryRank all(links, {.key = BlockKey("queue"), .shape = {4, 64}});
  }
  expect_all_released();
}

TEST_P(MpiShutdownOf, ReleasesEverythingWithEndsThatWereNeverConnected) {
  {
    MpiLinks links(MPI_COMM_WORLD, GetParam());
    static_cast<void>(links.sender({.key = BlockKey("queue"), .shape = {4, 64}}));
    static_cast<void>(links.receiver({.key = BlockKey("queue"), .shape = {4, 64}}));
  }
  expect_all_released();
}

TEST_P(MpiShutdownOf, LeavesEndsThatRefuseAndShowNothing) {
  MpiLinks links(MPI_COMM_WORLD, GetParam());
  EveryRank all(links, {.key = BlockKey("queue"), .shape = {4, 64}});
  for (AnySender& sender : all.to) ASSERT_TRUE(send_letter(sender, 3));
  links.settle();
  for (AnyReceiver& receiver : all.from) ASSERT_EQ(receiver.try_step(1), 1u);
  links.close();
  links.close();
  for (AnySender& sender : all.to) EXPECT_EQ(sender.try_claim(), nullptr);
  for (AnyReceiver& receiver : all.from) {
    EXPECT_EQ(receiver.jump(), 0u);
    EXPECT_TRUE(receiver.frame().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, MpiShutdownOf,
                         testing::Values(MpiVariant::two_sided, MpiVariant::ready_send, MpiVariant::one_sided),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace laxity::conformance
