#include "laxity/schedule/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laxity/error.hpp"
#include "laxity/schedule/machine_file.hpp"

namespace laxity::schedule {
namespace {

TEST(Machine, FindsTheInnermostLevelThatHoldsBothRanks) {
  const Machine machine{.name = "three",
                        .levels = {{.name = "socket", .ranks = 2}, {.name = "host", .ranks = 4}, {.name = "network"}}};
  require_valid(machine);
  EXPECT_EQ(machine.level_between(0, 1).name, "socket");
  EXPECT_EQ(machine.level_between(1, 2).name, "host");
  EXPECT_EQ(machine.level_between(3, 4).name, "network");
}

TEST(Machine, RefusesLevelsThatDoNotNestAndParametersThatAreNoNumbers) {
  const auto refused = [](std::vector<Level> levels) {
    EXPECT_THROW(require_valid({.name = "m", .levels = std::move(levels)}), UsageError);
  };
  refused({});
  refused({{.name = "host", .ranks = 4}});
  refused({{.name = "host", .ranks = 0}, {.name = "network"}});
  refused({{.name = "socket", .ranks = 3}, {.name = "host", .ranks = 4}, {.name = "network"}});
  refused({{.name = "network", .latency_us = -1}});
  refused({{.name = "network", .gap_us = NAN}});
  EXPECT_NO_THROW(require_valid(machine_named("paper")));
}

TEST(Machine, HasAHostForEachGroupOfTheOutermostLevel) {
  const Machine paper = machine_named("paper");
  EXPECT_EQ(paper.hosts(1), 1U);
  EXPECT_EQ(paper.hosts(32), 1U);
  EXPECT_EQ(paper.hosts(33), 2U);
  EXPECT_EQ(paper.hosts(1024), 32U);
  EXPECT_EQ((Machine{.name = "flat", .levels = {{.name = "all"}}}.hosts(64)), 1U);
}

TEST(MachineFile, OfEveryShippedMachineIsRead) {
  EXPECT_EQ(shipped_machine_names(), (std::vector<std::string>{"ethernet", "infiniband", "omnipath", "paper"}));
  for (const std::string& name : shipped_machine_names()) EXPECT_EQ(machine_named(name).name, name);
  EXPECT_THROW(static_cast<void>(machine_named("no/such/machine")), SystemError);
}

TEST(MachineFile, ReadsWhatItWrites) {
  const Machine machine = parse_machine(format_machine(machine_named("paper")), "paper.toml");
  EXPECT_EQ(format_machine(machine), format_machine(machine_named("paper")));
  EXPECT_EQ(machine.eager_limit_bytes, 1U);
  ASSERT_EQ(machine.levels.size(), 2U);
  EXPECT_EQ(machine.levels[0].ranks, 32U);
  EXPECT_EQ(machine.levels[1].latency_us, 2);
}

void expect_place(const std::string& text, const std::string& start) {
  try {
    static_cast<void>(parse_machine(text, "f"));
    FAIL() << text;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start) << error.what();
  }
}

TEST(MachineFile, NamesThePlaceOfAFault) {
  expect_place("name = ", "f:1:");
  expect_place("[[level]]\nname = \"x\"\n", "f:1:1: name is missing");
  expect_place("name = \"m\"\n", "f:1:1: at least one [[level]] is needed");
  expect_place("name = \"m\"\n[[level]]\nname = \"x\"\nlatency = 3\n", "f:4:1: latency is not known; there are name");
  expect_place("name = \"m\"\n[[level]]\nname = \"x\"\nlatency_us = \"3\"\n", "f:4:14: latency_us must be a number");
  expect_place("name = \"m\"\n[[level]]\nname = \"x\"\nranks = -1\n", "f:4:9: ranks must be a whole number");
  expect_place("name = \"m\"\n[[level]]\nname = \"x\"\nranks = 2\n", "machine: level \"x\": the outermost level");
}

}  // namespace
}  // namespace laxity::schedule
