#include <gtest/gtest.h>

#include "laxity/collective/rules/openmpi_rules.hpp"
#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/error.hpp"
#include "tests/unit/collective/made_selection.hpp"

namespace laxity::collective {
namespace {

Selection selection(Collective collective, int processes, std::size_t bytes, int algorithm) {
  return selection_of(collective, processes, bytes, {{.id = algorithm, .name = "x", .robust = 0.5}});
}

std::vector<Selection> some() {
  return {selection(Collective::reduce, 4, 64, 5), selection(Collective::reduce, 4, 1024, 6),
          selection(Collective::reduce, 8, 64, 2), selection(Collective::alltoall, 8, 100, 3),
          selection(Collective::barrier, 8, 0, 4)};
}

// The lookup of Open MPI: the last entry, and in it the last rule, that does not exceed the call.
int algorithm_for(const OpenMpiRules& rules, Collective collective, int processes, std::size_t bytes) {
  const std::uint64_t size = message_size_in_rules(collective, processes, bytes);
  int algorithm = 0;
  for (const CollectiveRules& of_collective : rules.collectives) {
    if (of_collective.collective_id != openmpi_id(collective)) continue;
    const CommunicatorRules* entry = &of_collective.communicators.front();
    for (const auto& next : of_collective.communicators) {
      if (next.from_processes <= processes) entry = &next;
    }
    for (const MessageRule& rule : entry->messages) {
      if (rule.from_bytes <= size) algorithm = rule.algorithm;
    }
  }
  return algorithm;
}

TEST(OpenMpiRules, MeasuredSizesGetTheirChoiceAndOthersTheLibrarysOwn) {
  const OpenMpiRules rules = openmpi_rules(some(), ChoiceKind::robust);
  EXPECT_EQ(algorithm_for(rules, Collective::reduce, 4, 64), 5);
  EXPECT_EQ(algorithm_for(rules, Collective::reduce, 4, 1024), 6);
  EXPECT_EQ(algorithm_for(rules, Collective::reduce, 8, 64), 2);
  EXPECT_EQ(algorithm_for(rules, Collective::alltoall, 8, 100), 3);
  EXPECT_EQ(algorithm_for(rules, Collective::barrier, 8, 0), 4);
  for (const int processes : {1, 2, 3, 5, 7, 9, 1000}) {
    EXPECT_EQ(algorithm_for(rules, Collective::reduce, processes, 64), 0) << processes << " processes";
  }
  EXPECT_EQ(algorithm_for(rules, Collective::bcast, 4, 64), 0);
}

TEST(OpenMpiRules, ASizeStandsForHalfToTwiceItsBytes) {
  const OpenMpiRules rules = openmpi_rules(some(), ChoiceKind::robust);
  const std::vector<std::pair<std::size_t, int>> expected{
      {0, 0}, {8, 0}, {31, 0}, {32, 5}, {128, 5}, {129, 0}, {511, 0}, {512, 6}, {2048, 6}, {2049, 0}, {1 << 20, 0}};
  for (const auto& [bytes, algorithm] : expected) {
    EXPECT_EQ(algorithm_for(rules, Collective::reduce, 4, bytes), algorithm) << bytes << " bytes";
  }
  for (const auto& [bytes, algorithm] : {std::pair{49, 0}, {50, 3}, {200, 3}, {201, 0}}) {
    EXPECT_EQ(algorithm_for(rules, Collective::alltoall, 8, static_cast<std::size_t>(bytes)), algorithm) << bytes;
  }
}

TEST(OpenMpiRules, NeighboringSizesMeetAtTheirGeometricMean) {
  const OpenMpiRules rules = openmpi_rules(
      {selection(Collective::bcast, 4, 1000, 5), selection(Collective::bcast, 4, 1210, 6)}, ChoiceKind::robust);
  EXPECT_EQ(algorithm_for(rules, Collective::bcast, 4, 1100), 5);
  EXPECT_EQ(algorithm_for(rules, Collective::bcast, 4, 1101), 6);
}

TEST(OpenMpiRules, WhatIsUndecidedKeepsTheLibrarysOwnChoice) {
  Selection undecided;
  undecided.collective = Collective::bcast;
  undecided.processes = 4;
  undecided.bytes = 64;
  undecided.undecided = "it was not measured";
  const OpenMpiRules rules = openmpi_rules({undecided}, ChoiceKind::robust);
  for (const std::size_t bytes : {0U, 64U, 1U << 20}) EXPECT_EQ(algorithm_for(rules, Collective::bcast, 4, bytes), 0);
}

TEST(OpenMpiRules, SizesAreThoseOfTheLibrary) {
  EXPECT_EQ(message_size_in_rules(Collective::reduce, 8, 64), 64U);
  EXPECT_EQ(message_size_in_rules(Collective::alltoall, 8, 64), 512U);
  EXPECT_EQ(message_size_in_rules(Collective::barrier, 8, 0), 0U);
  EXPECT_EQ(openmpi_id(Collective::allgather), 0);
  EXPECT_EQ(openmpi_id(Collective::reduce), 11);
  EXPECT_EQ(openmpi_id(Collective::reduce_scatter), 12);
  EXPECT_EQ(openmpi_id(Collective::scatter), 15);
}

TEST(OpenMpiRules, ChoicesThatWereNotMeasuredAreRefused) {
  EXPECT_THROW(static_cast<void>(openmpi_rules(some(), ChoiceKind::traced)), UsageError);
}

TEST(OpenMpiRules, EveryFormIsReadBackWithoutWarnings) {
  const OpenMpiRules rules = openmpi_rules(some(), ChoiceKind::robust);
  const std::vector<std::pair<OpenMpiForm, RulesKind>> forms{{OpenMpiForm::version_1, RulesKind::openmpi_version_1},
                                                             {OpenMpiForm::version_2, RulesKind::openmpi_version_2},
                                                             {OpenMpiForm::json, RulesKind::openmpi_json}};
  for (const auto& [form, kind] : forms) {
    const RulesCheck check = check_rules(format_rules(rules, form, "two\nlines"), "file");
    EXPECT_EQ(check.kind, kind);
    EXPECT_EQ(check.rules, rules);
    EXPECT_TRUE(check.warnings.empty()) << (check.warnings.empty() ? "" : check.warnings[0].what);
  }
}

void expect_error(const std::string& text, long line, long column, const std::string& what) {
  try {
    static_cast<void>(check_rules(text, "file"));
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ParseError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_EQ(error.column(), column) << error.what();
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

void expect_warning(const std::string& text, long line, long column, const std::string& what) {
  const RulesCheck check = check_rules(text, "file");
  ASSERT_EQ(check.warnings.size(), 1U) << text;
  EXPECT_EQ(check.warnings[0].line, line) << check.warnings[0].what;
  EXPECT_EQ(check.warnings[0].column, column) << check.warnings[0].what;
  EXPECT_NE(check.warnings[0].what.find(what), std::string::npos) << check.warnings[0].what;
}

TEST(RulesCheck, ErrorsOfRulesFilesHaveLineAndColumn) {
  expect_error("", 1, 1, "ends here");
  expect_error("1\n11\n1\n1 2\n0 5 4 0\n", 6, 1, "truncated");
  expect_error("rule-file-version-3\n1\n", 1, 19, "version 1 or 2");
  expect_error("1\n11\n1\n1 1\n0 010 4 0\n", 5, 3, "octal");
  expect_error("1\n11\n1\n1 1\n64 5 4 0\n", 5, 1, "first MSGSIZE");
  expect_error("1\n11\n1\n1 2\n0 5 4 0\n0 6 4 0\n", 6, 1, "above 0");
  expect_error("1\n11\n2\n8 1\n0 0 0 0\n4 1\n0 5 4 0\n", 6, 1, "above 8");
  expect_error("1\n11\n2\n8 1\n0 0 0 0\n8 1\n0 5 4 0\n", 6, 1, "above 8");
  expect_error("1\n11\n1\n1 1\n0 8 4 0\n", 5, 3, "algorithms 1..7");
  expect_error("1\n99\n", 2, 1, "0..21");
  expect_error("1\n11\n1\n1 1\n0 5 4 0 0\n", 5, 9, "NCOLL");
  expect_error("1 # one\n11 x\n", 2, 4, "NCOMM");
  expect_error("1\n11\n1\n1 0\n", 4, 3, "at least one");
}

TEST(RulesCheck, WarningsOfRulesFilesHaveLineAndColumn) {
  const auto bounded = [](const std::string& rule, const std::string& communicator) {
    return communicator + " 3\n0 0 0 0\n8 " + rule + "\n17 0 0 0\n9 1\n0 0 0 0\n";
  };
  expect_warning("1\n11\n2\n" + bounded("2 0 0", "1"), 6, 3, "pipeline");
  expect_warning("1\n11\n2\n" + bounded("5 4 0", "8"), 4, 1, "fewer than 8");
  expect_warning("1\n11\n2\n" + bounded("5 4 0", "3"), 4, 1, "fewer than 3");
  EXPECT_TRUE(check_rules("1\n11\n2\n" + bounded("5 4 0", "2"), "file").warnings.empty())
      << "one process has nothing to choose";
  expect_warning("1\n3\n2\n" + bounded("5 4 0", "1"), 6, 3, "two processes");
  expect_warning("2\n11\n2\n" + bounded("5 4 0", "1") + "11\n2\n" + bounded("6 4 0", "1"), 10, 1, "replace");
}

TEST(RulesCheck, RulesWithoutBoundsAreWarnings) {
  expect_warning("1\n7\n2\n2 2\n0 5 4 0\n9 0 0 0\n3 1\n0 0 0 0\n", 5, 3, "no lower bound");
  expect_warning("1\n7\n2\n2 2\n0 0 0 0\n8 5 4 0\n3 1\n0 0 0 0\n", 6, 3, "no upper bound");
  expect_warning("1\n7\n1\n2 3\n0 0 0 0\n8 5 4 0\n9 0 0 0\n", 6, 3, "larger number of processes");
  EXPECT_TRUE(check_rules("1\n6\n2\n2 1\n0 4 4 0\n3 1\n0 0 0 0\n", "file").warnings.empty()) << "a barrier has no size";
  const auto json = [](const std::string& communicator, const std::string& rule) {
    return "{\"collectives\": {\"bcast\": [{\"comm_size_min\": 2" + communicator + ", \"rules\": [{" + rule +
           "\"alg\": 5}]}]}}";
  };
  const std::string processes = ", \"comm_size_max\": 2";
  const std::string bytes = R"("msg_size_min": 8, "msg_size_max": 32, )";
  EXPECT_TRUE(check_rules(json(processes, bytes), "file").warnings.empty());
  expect_warning(json("", bytes), 1, 59, "comm_size_max");
  expect_warning(json(processes, R"("msg_size_min": 8, )"), 1, 79, "msg_size_max");
  expect_warning(json(processes, R"("msg_size_max": 8, )"), 1, 79, "msg_size_min");
}

TEST(RulesCheck, VersionTwoCanHaveRequests) {
  const RulesCheck check =
      check_rules("rule-file-version-2\n# x\n1\n3\n2\n1 3\n0 0 0 0\n8 4 0 0 16\n32 0 0 0\n9 1\n0 0 0 0\n", "file");
  EXPECT_EQ(check.rules.collectives[0].communicators[0].messages[1].max_requests, 16);
  EXPECT_TRUE(check.warnings.empty());
}

TEST(RulesCheck, ErrorsOfJsonHaveLineAndColumn) {
  expect_error("{\n\"rules\": 1}", 1, 1, "collectives");
  expect_error("{\"collectives\": {\n\"reduc\": []}}", 2, 1, "reduc");
  expect_error("{\"collectives\": {\"reduce\": [{\"rules\": [{\"alg\": 99}]}]}}", 1, 48, "algorithms 1..8");
  expect_error("{\"collectives\": {\"reduce\": [{\"rules\": [{}]}]}}", 1, 40, "alg");
  expect_error("{\"collectives\": {", 1, 18, "quotes");
  expect_error("{\"collective=bcast\": {\"comm_size<8\": {\"algorithm=x\": {}}}}", 1, 1, "entry for allgather");
  expect_error("{\"collective=bcast\": {\"commsize\": {}}}", 1, 23, "condition");
}

TEST(RulesCheck, EnvironmentSettingsAreRead) {
  EXPECT_EQ(check_rules("MPIR_CVAR_REDUCE_INTRA_ALGORITHM=binomial\nMPIR_CVAR_DEVICE_COLLECTIVES=none\n", "f").kind,
            RulesKind::mpich_environment);
  EXPECT_EQ(check_rules("# x\nexport I_MPI_ADJUST_REDUCE=\"5:0-1024@2-8;1:1025-4096\"\n", "f").kind,
            RulesKind::intel_environment);
  expect_warning("MPIR_CVAR_REDUCE_INTRA_ALGORITHM=auto\n", 1, 1, "device");
  expect_warning("MPIR_CVAR_DEVICE_COLLECTIVES=none\nMPIR_CVAR_REDUCE_INTRA_ALGORITHM=binomial\n", 2, 1,
                 "all message sizes");
  expect_warning("I_MPI_ADJUST_REDUCE=5:9-8@4-4\n", 1, 23, "ends below");
  for (const char* value : {"5:64@8", "5:1-64@2-8,128-256@2-8;0:", "1:1-64@8-8;2:65-128@8-8;0"}) {
    const RulesCheck check = check_rules("I_MPI_ADJUST_IALLREDUCE=" + std::string(value) + "\n", "f");
    EXPECT_TRUE(check.warnings.empty()) << value;
  }
  for (const char* value : {"5", "5:", "5:64", "5:0-64@8", "5:1-64@8,128-256"}) {
    expect_warning("I_MPI_ADJUST_IALLREDUCE=" + std::string(value) + "\n", 1, 25, "were not measured");
  }
  EXPECT_TRUE(check_rules("I_MPI_ADJUST_BARRIER=1:0-0@8-8\n", "f").warnings.empty());
  EXPECT_TRUE(check_rules("I_MPI_ADJUST_BCAST_SEGMENT=12k\nI_MPI_ADJUST_REDUCE_LIST=1-3,5\n", "f").warnings.empty());
  expect_warning("I_MPI_ADJUST_REDUCT=5\n", 1, 1, "REDUCT");
  expect_error("I_MPI_ADJUST_REDUCE=5:0-64,\n", 1, 28, "number of bytes");
  expect_error("I_MPI_ADJUST_REDUCE=five\n", 1, 21, "number of an algorithm");
  expect_error("I_MPI_ADJUST_REDUCE=5:0-\n", 1, 25, "number of bytes");
  expect_error("I_MPI_ADJUST_REDUCE=5 6\n", 1, 23, "end of the line");
  expect_error("MPIR_CVAR_REDUCE_INTRA_ALGORITHM=Binomial\n", 1, 34, "lower case");
}

}  // namespace
}  // namespace laxity::collective
