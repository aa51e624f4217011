#include "laxity/collective/rules/mpich_selection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "laxity/error.hpp"
#include "tests/unit/collective/made_selection.hpp"

namespace laxity::collective {
namespace {

Selection of(Collective collective, std::size_t bytes, const std::vector<Known>& algorithms) {
  return selection_of(collective, 4, bytes, algorithms);
}

// MPICH's own selection in these tests: "own" everywhere.
std::string own_of(const std::string& collective) {
  return R"({"collective=)" + collective +
         R"(":{"comm_type=intra":{"algorithm=own":{}},"comm_type=inter":{"algorithm=inter":{}}}})";
}

// The selection without blanks.
std::string selected(const std::vector<Selection>& selections, const std::string& own) {
  std::string text = mpich_selection(selections, ChoiceKind::robust, own, "own");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

const std::string own = R"({"algorithm=own":{}})";
std::string leaf(const std::string& name) { return R"({"algorithm=)" + name + R"(":{}})"; }

// A selection in which communicators of 4 processes use `tree`.
std::string around(const std::string& collective, const std::string& tree) {
  return R"({"collective=)" + collective + R"(":{"comm_type=intra":{"comm_size<=3":)" + own + R"(,"comm_size<=4":)" +
         tree + R"(,"comm_size=any":)" + own + R"(},"comm_type=inter":{"algorithm=inter":{}}}})";
}

// `tree` for the messages that 64 bytes stand for.
std::string around_64(const std::string& tree, const std::string& condition = "avg_msg_size") {
  const bool in_total = condition == "total_msg_size";
  return "{\"" + condition + "<=" + (in_total ? "127" : "31") + "\":" + own + ",\"" + condition +
         "<=" + (in_total ? "512" : "128") + "\":" + tree + ",\"" + condition + "=any\":" + own + "}";
}

TEST(MpichSelection, ChoicesApplyToMeasuredSizesOnly) {
  const auto selections = {of(Collective::bcast, 64, {{1, "binomial", 0.5}, {2, "scatter_ring_allgather", 0.8}}),
                           of(Collective::bcast, 200, {{2, "scatter_ring_allgather", 0.5}}),
                           of(Collective::bcast, 4096, {{2, "scatter_ring_allgather", 0.5}})};
  const std::string ring = leaf("MPIR_Bcast_intra_scatter_ring_allgather");
  EXPECT_EQ(
      selected(selections, own_of("bcast")),
      around("bcast", R"({"avg_msg_size<=31":)" + own + R"(,"avg_msg_size<=113":)" + leaf("MPIR_Bcast_intra_binomial") +
                          R"(,"avg_msg_size<=400":)" + ring + R"(,"avg_msg_size<=2047":)" + own +
                          R"(,"avg_msg_size<=8192":)" + ring + R"(,"avg_msg_size=any":)" + own + "}"));
}

TEST(MpichSelection, AlgorithmsApplyToSupportedCallsOnly) {
  const auto of_size = [](Collective collective, const std::string& name) {
    return selected({of(collective, 64, {{1, name, 0.5}})}, own_of(std::string(name_of(collective))));
  };
  EXPECT_EQ(of_size(Collective::reduce, "reduce_scatter_gather"),
            around("reduce", around_64(R"({"is_op_built_in=yes":{"count<pow2":)" + own + R"(,"count=any":)" +
                                       leaf("MPIR_Reduce_intra_reduce_scatter_gather") + R"(},"is_op_built_in=no":)" +
                                       own + "}")));
  EXPECT_EQ(of_size(Collective::alltoall, "brucks"),
            around("alltoall", R"({"is_sendbuf_inplace=yes":)" + own + R"(,"is_sendbuf_inplace=no":)" +
                                   around_64(leaf("MPIR_Alltoall_intra_brucks")) + "}"));
  EXPECT_EQ(
      of_size(Collective::reduce_scatter, "pairwise"),
      around("reduce_scatter", around_64(R"({"is_commutative=yes":)" + leaf("MPIR_Reduce_scatter_intra_pairwise") +
                                             R"(,"is_commutative=no":)" + own + "}",
                                         "total_msg_size")));
  EXPECT_EQ(of_size(Collective::barrier, "smp"),
            around("barrier", R"({"comm_hierarchy=parent":)" + leaf("MPIR_Barrier_intra_smp") +
                                  R"(,"comm_hierarchy=any":)" + own + "}"));
}

TEST(MpichSelection, CollectivesWithoutASizeConditionKeepMpichsOwnSelection) {
  EXPECT_EQ(selected({of(Collective::gather, 64, {{1, "nb", 0.5}})}, own_of("gather")), around("gather", own));
}

TEST(MpichSelection, AlgorithmsWithParametersAreSkipped) {
  EXPECT_EQ(selected({of(Collective::bcast, 64, {{1, "tree", 0.4}, {2, "binomial", 0.5}})}, own_of("bcast")),
            around("bcast", around_64(leaf("MPIR_Bcast_intra_binomial"))));
}

TEST(MpichSelection, RefusesOtherJson) {
  const std::vector<Selection> chosen{of(Collective::bcast, 64, {{1, "binomial", 0.5}})};
  EXPECT_THROW(static_cast<void>(selected(chosen, own_of("reduce"))), Error);
  EXPECT_THROW(static_cast<void>(selected(chosen, R"({"collective=bcast":{}})")), Error);
  EXPECT_THROW(static_cast<void>(selected(chosen, "no JSON")), Error);
}

class OwnSelection : public testing::Test {
 protected:
  ~OwnSelection() override { std::filesystem::remove(path_); }
  std::string found_in(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
    return mpich_own_selection(path_);
  }
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("laxity-own-selection-" + std::to_string(::getpid()));
};

TEST_F(OwnSelection, IsFoundInALibrary) {
  const std::string device = R"({"collective=bcast":{"composition=MPIDI_Bcast":{}}})";
  const std::string algorithms = R"({"collective=bcast":{"algorithm=MPIR_Bcast_intra_binomial":{}}})";
  const std::string nothing(3, '\0');
  EXPECT_EQ(found_in("\177ELF" + nothing + device + nothing + algorithms + nothing + "more"), algorithms);
}

TEST_F(OwnSelection, CanBeAJsonFile) {
  const std::string text = "\n{\n  \"collective=bcast\": {}\n}\n";
  EXPECT_EQ(found_in(text), text);
}

TEST_F(OwnSelection, IsNotInOtherFiles) { EXPECT_THROW(static_cast<void>(found_in("\177ELF and so on")), Error); }

}  // namespace
}  // namespace laxity::collective
