#include "laxity/collective/rules/mpich_selection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

Candidate candidate(const std::string& name, double mean) {
  return {
      .algorithm = {1, name}, .mean = mean, .worst = mean, .worst_pattern = "bell", .no_delay_us = {}, .traced_us = {}};
}

Selection of(Collective collective, std::size_t bytes, std::vector<Candidate> candidates) {
  Selection selection;
  selection.collective = collective;
  selection.processes = 4;
  selection.bytes = bytes;
  selection.candidates = std::move(candidates);
  return selection;
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

TEST(MpichSelection, ChoicesApplyToMeasuredSizesOnly) {
  const auto selections = {
      of(Collective::bcast, 64, {candidate("binomial", 1), candidate("scatter_ring_allgather", 2)}),
      of(Collective::bcast, 4096, {candidate("scatter_ring_allgather", 1)})};
  EXPECT_EQ(
      selected(selections, own_of("bcast")),
      around("bcast", R"({"avg_msg_size<=512":)" + leaf("MPIR_Bcast_intra_binomial") + R"(,"avg_msg_size<=8192":)" +
                          leaf("MPIR_Bcast_intra_scatter_ring_allgather") + R"(,"avg_msg_size=any":)" + own + "}"));
}

TEST(MpichSelection, AlgorithmsApplyToSupportedCallsOnly) {
  const auto of_size = [](Collective collective, const std::string& name) {
    return selected({of(collective, 64, {candidate(name, 1)})}, own_of(std::string(name_of(collective))));
  };
  EXPECT_EQ(of_size(Collective::reduce, "reduce_scatter_gather"),
            around("reduce", R"({"avg_msg_size<=128":{"is_op_built_in=yes":{"count<pow2":)" + own + R"(,"count=any":)" +
                                 leaf("MPIR_Reduce_intra_reduce_scatter_gather") + R"(},"is_op_built_in=no":)" + own +
                                 R"(},"avg_msg_size=any":)" + own + "}"));
  EXPECT_EQ(
      of_size(Collective::alltoall, "brucks"),
      around("alltoall", R"({"is_sendbuf_inplace=yes":)" + own + R"(,"is_sendbuf_inplace=no":{"avg_msg_size<=128":)" +
                             leaf("MPIR_Alltoall_intra_brucks") + R"(,"avg_msg_size=any":)" + own + "}}"));
  EXPECT_EQ(of_size(Collective::reduce_scatter, "pairwise"),
            around("reduce_scatter", R"({"total_msg_size<=512":{"is_commutative=yes":)" +
                                         leaf("MPIR_Reduce_scatter_intra_pairwise") + R"(,"is_commutative=no":)" + own +
                                         R"(},"total_msg_size=any":)" + own + "}"));
  EXPECT_EQ(of_size(Collective::barrier, "smp"),
            around("barrier", R"({"comm_hierarchy=parent":)" + leaf("MPIR_Barrier_intra_smp") +
                                  R"(,"comm_hierarchy=any":)" + own + "}"));
}

TEST(MpichSelection, CollectivesWithoutASizeConditionHaveOneAlgorithm) {
  const auto selections = {of(Collective::gather, 64, {candidate("nb", 1), candidate("binomial", 1.5)}),
                           of(Collective::gather, 4096, {candidate("binomial", 1), candidate("nb", 1.1)})};
  EXPECT_EQ(selected(selections, own_of("gather")), around("gather", leaf("MPIR_Gather_allcomm_nb")));
}

TEST(MpichSelection, AlgorithmsWithParametersAreSkipped) {
  EXPECT_EQ(selected({of(Collective::bcast, 64, {candidate("tree", 1), candidate("binomial", 2)})}, own_of("bcast")),
            around("bcast", R"({"avg_msg_size<=128":)" + leaf("MPIR_Bcast_intra_binomial") + R"(,"avg_msg_size=any":)" +
                                own + "}"));
}

TEST(MpichSelection, RefusesOtherJson) {
  const std::vector<Selection> chosen{of(Collective::bcast, 64, {candidate("binomial", 1)})};
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
