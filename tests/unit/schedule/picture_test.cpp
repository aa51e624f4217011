#include "laxity/schedule/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "laxity/error.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/machine_file.hpp"

namespace laxity::schedule {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

const Schedule& binomial() {
  static const Schedule schedule = make_schedule({collective::Collective::reduce, 8, 8, 0, 0}, "binomial");
  return schedule;
}

TEST(Picture, DrawsABarForEachOperationALineForEachMessageAndTheDelays) {
  std::vector<double> arrival_s(8);
  arrival_s[7] = 2e-6;
  const SimulationResult result =
      simulate(binomial(), machine_named("paper"), {.arrival_s = arrival_s, .op_times = true});
  const std::string svg = space_time_svg(binomial(), result, arrival_s, "a < b");
  EXPECT_EQ(count(svg, "<rect class=\"send\""), 7U);
  EXPECT_EQ(count(svg, "<rect class=\"receive\""), 7U);
  EXPECT_EQ(count(svg, "<line class=\"m\""), 7U);
  EXPECT_EQ(count(svg, "<rect class=\"late\""), 1U);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Picture, TextHasALineForEachOperation) {
  const SimulationResult result = simulate(binomial(), machine_named("paper"), {.op_times = true});
  const std::string text = schedule_text(binomial(), result);
  EXPECT_EQ(count(text, "\n"), 14U);
  EXPECT_NE(text.find("receive 8 B from 4  after 1"), std::string::npos) << text;
}

TEST(Picture, RefusesMoreRanksThanItCanShow) {
  const Schedule schedule = make_schedule({collective::Collective::reduce, 129, 8, 0, 0}, "binomial");
  const SimulationResult result = simulate(schedule, machine_named("paper"), {.op_times = true});
  EXPECT_THROW(static_cast<void>(space_time_svg(schedule, result, {}, "")), UsageError);
}

}  // namespace
}  // namespace laxity::schedule
