// Whether a meter tells the program's own work from that of others, on the machine of the test.
#include "laxity/metrics/disturbance.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "temporary_folder.hpp"

namespace laxity {
namespace {

void spin(std::int64_t duration_ns) {
  const SteadyClock clock;
  for (const std::int64_t end_ns = clock.now_ns() + duration_ns; clock.now_ns() < end_ns;) {
  }
}

TEST(Disturbance, KindNamesWhatIsAboveItsLimit) {
  EXPECT_EQ((Disturbance{.processors = 4, .other_processors = 0.19}.kind()), "none");
  EXPECT_EQ((Disturbance{.processors = 4, .other_processors = 0.21}.kind()), "others");
  EXPECT_EQ((Disturbance{.processors = 4, .other_processors = 0.21, .resolution = 0.1}.kind()), "none");
  EXPECT_EQ((Disturbance{.steal = 0.02}.kind()), "steal");
  EXPECT_EQ((Disturbance{.steal = 0.02, .other_processors = 1}.kind()), "steal+others");
}

TEST(Disturbance, WorkOfThisProcessAndItsChildrenIsItsOwn) {
  const DisturbanceMeter meter;
  const pid_t child = ::fork();
  if (child == 0) {
    spin(100'000'000);
    ::_exit(0);
  }
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  const std::int64_t alone_ns = meter.own_cpu_ns();
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const std::int64_t together_ns = meter.own_cpu_ns();
  EXPECT_GT(alone_ns, 0);
  EXPECT_GT(together_ns, alone_ns);
  EXPECT_LE(meter.since_begin(together_ns).other_processors, meter.since_begin(0).other_processors);
}

TEST(Disturbance, WorkOfAProcessThatIsNotOursIsDisturbance) {
  const pid_t other = ::fork();
  if (other == 0) {
    spin(600'000'000);
    ::_exit(0);
  }
  const DisturbanceMeter meter;
  ::usleep(400'000);
  const Disturbance disturbance = meter.since_begin();  // before the child is waited for
  ASSERT_EQ(::waitpid(other, nullptr, 0), other);
  EXPECT_GT(disturbance.other_processors, 0.3);
  EXPECT_NE(disturbance.kind().find("others"), std::string_view::npos);
  EXPECT_GE(disturbance.processors, 1);
}

TEST(Disturbance, CountsTheProcessorsThatItIsGiven) {
  cpu_set_t one;
  CPU_ZERO(&one);
  const cpu_set_t allowed = usable_processors();
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_SET(first, &one);
  EXPECT_EQ(DisturbanceMeter(one).since_begin().processors, 1);
  EXPECT_EQ(DisturbanceMeter().since_begin().processors, CPU_COUNT(&allowed));
}

TEST(Disturbance, EachRunHasARowForEachHost) {
  const TemporaryFolder folder;
  DisturbancesTable table(folder.path);
  const std::vector<Disturbance> of_host{
      {.processors = 2, .load = 1.5, .steal = 0.25, .other_processors = 0, .involuntary_switches = 3}, {}};
  add_rows(table, 7, of_host, 2);
  const auto rows = read_csv(folder.path / "disturbances.csv");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"7", "2", "steal", "2", "1.5", "0.25", "0", "3", "0", "0"}));
  EXPECT_EQ(rows[2], (std::vector<std::string>{"7", "2", "none", "1", "0", "0", "0", "0", "0", "1"}));
}

}  // namespace
}  // namespace laxity
