#include "laxity/schedule/collective_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "laxity/error.hpp"

namespace laxity::schedule {
namespace {

using collective::Collective;

std::size_t messages(Collective collective, const char* algorithm, std::uint32_t ranks, std::uint64_t segment = 0) {
  return make_schedule({collective, ranks, 64, 0, segment}, algorithm).messages();
}

// What is known of the algorithms from the literature; the end-to-end test of rules counts the messages of real ones.
TEST(CollectiveSchedule, HasTheNumberOfMessagesOfItsAlgorithm) {
  for (const std::uint32_t p : {2U, 3U, 5U, 8U, 13U, 16U}) {
    const auto log = static_cast<std::size_t>(std::bit_width(p - 1));
    for (const char* tree : {"linear", "chain", "pipeline", "binary", "binomial"}) {
      EXPECT_EQ(messages(Collective::reduce, tree, p), p - 1) << tree;
      EXPECT_EQ(messages(Collective::reduce, tree, p, 16), 4 * (p - 1)) << tree;
    }
    for (const char* tree : {"basic_linear", "chain", "pipeline", "binary_tree", "binomial", "knomial"})
      EXPECT_EQ(messages(Collective::bcast, tree, p), p - 1) << tree;
    EXPECT_EQ(messages(Collective::reduce, "in-order_binary", p), p);  // one more from the last rank to the root
    EXPECT_EQ(messages(Collective::alltoall, "linear", p), p * (p - 1));
    EXPECT_EQ(messages(Collective::alltoall, "pairwise", p), p * (p - 1));
    EXPECT_EQ(messages(Collective::alltoall, "modified_bruck", p), p * log);
    EXPECT_EQ(messages(Collective::allgather, "ring", p), p * (p - 1));
    EXPECT_EQ(messages(Collective::allgather, "bruck", p), p * log);
    EXPECT_EQ(messages(Collective::allreduce, "ring", p), 2 * p * (p - 1));
    EXPECT_EQ(messages(Collective::barrier, "bruck", p), p * log);
    EXPECT_EQ(messages(Collective::barrier, "double_ring", p), 2 * p);
    EXPECT_EQ(messages(Collective::scatter, "binomial", p), p - 1);
    EXPECT_EQ(messages(Collective::gather, "binomial", p), p - 1);
    EXPECT_EQ(messages(Collective::gather, "linear_sync", p), 3 * (p - 1));  // asked, the block, an empty second part
    EXPECT_EQ(messages(Collective::scatter, "linear_nb", p), p - 1);
  }
  EXPECT_EQ(messages(Collective::allreduce, "recursive_doubling", 16), 16 * 4U);
  EXPECT_EQ(messages(Collective::allreduce, "recursive_doubling", 13), 8 * 3U + 2 * 5U);
  EXPECT_EQ(messages(Collective::allreduce, "rabenseifner", 16), 2 * 16 * 4U);
}

TEST(CollectiveSchedule, OfLaxitysOwnAlgorithmsHasTheirNumberOfMessages) {
  for (const std::uint32_t p : {2U, 3U, 5U, 8U, 17U}) {
    EXPECT_EQ(messages(Collective::reduce, "laxity_arrival_order", p), p - 1);
    EXPECT_EQ(messages(Collective::reduce, "laxity_rank_order", p), p - 1);
    EXPECT_EQ(messages(Collective::reduce, "laxity_reduce_scatter", p), p * (p - 1) + p - 1);
    EXPECT_EQ(messages(Collective::allreduce, "laxity_arrival_order", p), 2 * (p - 1));
    EXPECT_EQ(messages(Collective::allreduce, "laxity_reduce_scatter", p), 2 * p * (p - 1));
    EXPECT_EQ(messages(Collective::allreduce, "laxity_pre_reduced_ring", p), 2 * p * (p - 1));
    EXPECT_EQ(messages(Collective::alltoall, "laxity_arrival_order", p), p * (p - 1));
    const Schedule large = make_schedule({Collective::alltoall, p, 8192, 0, 0}, "laxity_arrival_order");
    EXPECT_EQ(large.messages(), 2 * p * (p - 1)) << "every block has a notice";
  }
  // A vector of two bytes has two parts, whatever the number of ranks.
  EXPECT_EQ(make_schedule({Collective::allreduce, 8, 2, 0, 0}, "laxity_pre_reduced_ring").messages(), 2 * 2 * 7U);
}

TEST(CollectiveSchedule, SplitsAVectorInParts) {
  const Schedule ring = make_schedule({Collective::allreduce, 4, 103, 0, 0}, "ring");
  std::uint64_t bytes = 0;
  for (const Op& op : ring.ops(0)) bytes += op.action == Action::send ? op.size : 0;
  EXPECT_EQ(bytes, 26 + 25 + 26 + 26 + 26 + 25U);  // blocks 0, 3, 2 combined, then 1, 0, 3
}

TEST(CollectiveSchedule, OfOneRankIsEmpty) {
  for (const Collective collective : collective::all_collectives)
    for (const auto& [id, algorithm] : algorithms(collective))
      EXPECT_EQ(make_schedule({collective, 1, 8, 0, 0}, algorithm).total_ops(), 0U) << algorithm;
}

TEST(CollectiveSchedule, NamesItsAlgorithmsWhereOneIsUnknown) {
  try {
    static_cast<void>(make_schedule({Collective::scatter, 4, 8, 0, 0}, "best"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "algorithm = best: scatter has basic_linear, binomial, linear_nb");
  }
  EXPECT_THROW(static_cast<void>(make_schedule({Collective::scatter, 4, 8, 4, 0}, "basic_linear")), UsageError);
  EXPECT_THROW(static_cast<void>(make_schedule({Collective::scatter, 0, 8, 0, 0}, "basic_linear")), UsageError);
  EXPECT_THROW(static_cast<void>(make_schedule({Collective::bcast, 4, 1 << 30, 0, 1}, "pipeline")), UsageError);
}

}  // namespace
}  // namespace laxity::schedule
