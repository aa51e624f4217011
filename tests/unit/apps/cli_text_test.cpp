// Durations and numbers as the command line reads and writes them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "laxity/cli/duration.hpp"
#include "laxity/cli/short_number.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

TEST(Duration, HasOneOfSevenUnits) {
  EXPECT_EQ(parse_duration("1.5s"), 1.5);
  EXPECT_EQ(parse_duration("200ms"), 0.2);
  EXPECT_EQ(parse_duration("20us"), 20e-6);
  EXPECT_EQ(parse_duration("100ns"), 100e-9);
  EXPECT_EQ(parse_duration("5min"), 300);
  EXPECT_EQ(parse_duration("2h"), 7200);
  EXPECT_EQ(parse_duration("3"), 3) << "a number alone is seconds";
  EXPECT_EQ(parse_duration("1e-3"), 1e-3);
  EXPECT_EQ(parse_duration("-1ms"), -1e-3);
}

TEST(Duration, IsNothingElse) {
  for (const char* text :
       {"", "s", "ms", "1 s", " 1s", "1s ", "1S", "1m", "1sec", "1,5s", "nan", "inf", "infs", "1e999"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, IsWrittenAsItIsRead) {
  EXPECT_EQ(short_duration(0), "0s");
  EXPECT_EQ(short_duration(1.5), "1.5s");
  EXPECT_EQ(short_duration(0.2), "200ms");
  EXPECT_EQ(short_duration(20e-6), "20us");
  EXPECT_EQ(short_duration(1e-9), "1ns");
  EXPECT_EQ(short_duration(1e6), "1000000s");
  for (const double seconds : {0.0, 1e-9, 2.5e-7, 0.3, 1.0 / 3, 1e-3, 86400.0})
    EXPECT_NEAR(*parse_duration(short_duration(seconds)), seconds, 1e-14 * seconds);
}

TEST(Duration, OutOfItsRangeNamesTheOptionAndTheRange) {
  EXPECT_EQ(duration_of("--pause", "10s", {.min_s = 1e-3, .max_s = 10}), 10);
  for (const char* text : {"0", "0.9ms", "10.1s", "-1s"}) {
    try {
      (void)duration_of("--pause", text, {.min_s = 1e-3, .max_s = 10});
      ADD_FAILURE() << text << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()), std::string("--pause ") + text + ": must be 1ms to 10s");
    }
  }
}

TEST(ShortNumber, HasThreeDigitsAndFitsInSixCharacters) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(99.96), "100");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1k");
  EXPECT_EQ(short_number(34'800), "34.8k");
  EXPECT_EQ(short_number(3.48e6), "3.48M");
  EXPECT_EQ(short_number(1.234e9), "1.23G");
  EXPECT_EQ(short_number(999.6e9), "1T");
  for (double value = 1e-3; value < 1e12; value *= 1.0017) {
    const std::string text = short_number(value);
    EXPECT_LE(text.size(), 6U) << value;
    EXPECT_EQ(text.find('e'), std::string::npos) << text;
  }
}

TEST(ShortTime, HasTheUnitThatSuits) {
  EXPECT_EQ(short_time(0), "0ns");
  EXPECT_EQ(short_time(340), "340ns");
  EXPECT_EQ(short_time(34'800), "34.8us");
  EXPECT_EQ(short_time(1.25e6), "1.25ms");
  EXPECT_EQ(short_time(999.96e6), "1s");
  for (double ns = 1; ns < 1e12; ns *= 1.0017) EXPECT_LE(short_time(ns).size(), 6U) << ns;
}

}  // namespace
}  // namespace laxity::cli
