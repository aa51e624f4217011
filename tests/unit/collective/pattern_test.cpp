#include "laxity/collective/patterns/pattern.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

using Delays = std::vector<double>;

TEST(Pattern, ShapesOfFiveProcessesMatchTheirDefinitions) {
  EXPECT_EQ(arrival_delays(Pattern::no_delay, 5, 4), (Delays{0, 0, 0, 0, 0}));
  EXPECT_EQ(arrival_delays(Pattern::ascending, 5, 4), (Delays{0, 1, 2, 3, 4}));
  EXPECT_EQ(arrival_delays(Pattern::descending, 5, 4), (Delays{4, 3, 2, 1, 0}));
  EXPECT_EQ(arrival_delays(Pattern::first_delayed, 5, 4), (Delays{4, 0, 0, 0, 0}));
  EXPECT_EQ(arrival_delays(Pattern::last_delayed, 5, 4), (Delays{0, 0, 0, 0, 4}));
  EXPECT_EQ(arrival_delays(Pattern::half_step, 5, 4), (Delays{0, 0, 0, 4, 4}));
  EXPECT_EQ(arrival_delays(Pattern::v_shape, 5, 4), (Delays{4, 2, 0, 2, 4}));
  const Delays bell = arrival_delays(Pattern::bell, 5, 4);
  const double edge = std::exp(-0.5 / 0.09);
  EXPECT_DOUBLE_EQ(bell[1], 4 * (std::exp(-0.125 / 0.09) - edge) / (1 - edge));
  EXPECT_EQ(bell[0], 0);
  EXPECT_EQ(bell[2], 4);
  EXPECT_EQ(bell[4], 0);
}

TEST(Pattern, ShapesThatAreConstantForTwoProcessesDelayTheLast) {
  EXPECT_EQ(arrival_delays(Pattern::bell, 2, 1), (Delays{0, 1}));
  EXPECT_EQ(arrival_delays(Pattern::v_shape, 2, 1), (Delays{0, 1}));
}

TEST(Pattern, NamesAreParsed) {
  for (const Pattern pattern : delaying_patterns) EXPECT_EQ(pattern_named(name_of(pattern)), pattern);
  EXPECT_EQ(pattern_named("no_delay"), Pattern::no_delay);
  EXPECT_THROW(static_cast<void>(pattern_named("asscending")), UsageError);
}

TEST(Pattern, InvalidArgumentsAreRefused) {
  EXPECT_THROW(static_cast<void>(arrival_delays(Pattern::bell, 0, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(arrival_delays(Pattern::bell, 4, -1)), UsageError);
  EXPECT_THROW(static_cast<void>(arrival_delays(Pattern::bell, 4, std::nan(""))), UsageError);
  EXPECT_THROW(static_cast<void>(arrival_delays(Pattern::bell, 4, std::numeric_limits<double>::infinity())),
               UsageError);
}

TEST(PatternFile, BareNumbersAreAPattern) {
  const ArrivalPattern pattern = parse_pattern("0\r\n 1e-3 \n0.5\n\n", "bare");
  EXPECT_EQ(pattern.name, "from_file");
  EXPECT_EQ(pattern.delays_s, (Delays{0, 0.001, 0.5}));
  EXPECT_EQ(pattern.seed, std::nullopt);
}

void expect_fault(const std::string& text, long line, long column) {
  try {
    static_cast<void>(parse_pattern(text, "file"));
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ParseError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_EQ(error.column(), column) << error.what();
  }
}

TEST(PatternFile, ErrorsHaveLineAndColumn) {
  expect_fault("", 1, 1);
  expect_fault("0\n  -1\n", 2, 3);
  expect_fault("0\nnan\n", 2, 1);
  expect_fault("0 1\n", 1, 3);
  expect_fault("0\n\n1\n", 2, 1);
  expect_fault("# processes: 3\n0\n1\n", 1, 14);
  expect_fault("# max_skew_s: 2\n0\n1\n", 1, 15);
  expect_fault("# seed: x\n0\n", 1, 9);
  expect_fault("# processes: 2 of 3\n0\n1\n", 1, 16);
}

}  // namespace
}  // namespace laxity::collective
