// Arrival patterns of every shape, size and skew; pattern files that are written and read back, and thousands of damaged
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "laxity/collective/patterns/pattern_file.hpp"
#include "tests/effort.hpp"
#include "tests/property/largest_allocation.hpp"
#include "tests/property/parser_checks.hpp"

namespace laxity::collective {
namespace {

constexpr std::array<int, 12> sizes{2, 3, 4, 5, 7, 8, 16, 31, 32, 100, 1023, 1024};

TEST(Pattern, SmallestIsZeroAndLargestIsTheSkewToTheLastBit) {
  SeededRandom random(1);
  for (const Pattern pattern : delaying_patterns) {
    for (const int processes : sizes) {
      const double skew = random.unit() * 1e-3;
      const std::vector<double> delays = arrival_delays(pattern, processes, skew, random.bits());
      ASSERT_EQ(delays.size(), static_cast<std::size_t>(processes));
      EXPECT_EQ(*std::min_element(delays.begin(), delays.end()), 0.0) << name_of(pattern) << ' ' << processes;
      EXPECT_EQ(*std::max_element(delays.begin(), delays.end()), skew) << name_of(pattern) << ' ' << processes;
    }
    EXPECT_EQ(arrival_delays(pattern, 1, 1.0), std::vector<double>{0.0});
    EXPECT_EQ(arrival_delays(pattern, 8, 0.0), std::vector<double>(8, 0.0));
  }
}

TEST(Pattern, TheSeedDeterminesRandomAndNoOtherPattern) {
  for (const Pattern pattern : delaying_patterns) {
    EXPECT_EQ(arrival_delays(pattern, 16, 1.0, 7), arrival_delays(pattern, 16, 1.0, 7));
    const bool differs = arrival_delays(pattern, 16, 1.0, 7) != arrival_delays(pattern, 16, 1.0, 8);
    EXPECT_EQ(differs, pattern == Pattern::random) << name_of(pattern);
  }
}

TEST(PatternFile, IsReadBackAsItWasWritten) {
  SeededRandom random(2);
  for (const Pattern pattern : delaying_patterns) {
    for (const int processes : sizes) {
      const ArrivalPattern made = make_pattern(pattern, processes, random.unit() * 1e-3, random.bits());
      EXPECT_EQ(parse_pattern(format_pattern(made), "written"), made);
    }
  }
}

TEST(PatternFile, DamagedTextIsAPatternOrAnErrorWithItsPlace) {
  static constexpr std::array<std::string_view, 13> words{
      " ",  "\n",  "#",   "# seed: ", "# processes: 4\n",     "# processes: 9000000000000000000\n",
      "-1", "nan", "inf", "1e999",    "18446744073709551616", "0x1p3",
      "\t"};
  for (const Pattern pattern : delaying_patterns) {
    const std::string sample = format_pattern(make_pattern(pattern, 9, 1e-3));
    for (std::uint64_t seed = 0; seed < std::uint64_t{2000} * effort(); ++seed) {
      SeededRandom random(seed);
      std::string text = sample;
      for (std::uint32_t wounds = 1 + random.below(4); wounds > 0; --wounds) damage(text, words, random);
      static_cast<void>(take_largest_allocation());
      try {
        const ArrivalPattern read = parse_pattern(text, "damaged");
        ASSERT_EQ(parse_pattern(format_pattern(read), "again"), read) << "seed " << seed << " on\n" << text;
      } catch (const ParseError& error) {
        ASSERT_NO_THROW(check_place(text, error)) << "seed " << seed << " on\n" << text;
      }
      ASSERT_LE(take_largest_allocation(), allocation_for(text.size())) << "seed " << seed << " on\n" << text;
    }
  }
}

}  // namespace
}  // namespace laxity::collective
