// Timed starts on the clock that all ranks of a host share.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <thread>

#include "laxity/clock/mpi_start.hpp"
#include "laxity/clock/mpi_sync.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

constexpr int starts = 50;

std::int64_t over_all(std::int64_t value, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, operation, MPI_COMM_WORLD);
  return value;
}

TimedStart<SteadyClock> on_shared_clock(const StartOptions& options = {}) {
  return {MPI_COMM_WORLD, SteadyClock{}, options};
}

TEST(TimedStart, AllLeaveAtOneDeadlineOrAfterIt) {
  auto timed = on_shared_clock();
  for (int round = 0; round < starts; ++round) {
    const AgreedStart start = timed.start();
    EXPECT_EQ(over_all(start.deadline_ns, MPI_MIN), over_all(start.deadline_ns, MPI_MAX));
    EXPECT_GE(start.left_ns, start.deadline_ns);
  }
}

TEST(TimedStart, NobodyLeavesBeforeTheLastHasArrived) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto timed = on_shared_clock();
  for (int round = 0; round < starts; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(100 * ((rank + round) % 4)));
    const std::int64_t arrived_ns = SteadyClock{}.now_ns();
    const AgreedStart start = timed.start();
    EXPECT_GE(over_all(start.left_ns, MPI_MIN), over_all(arrived_ns, MPI_MAX));
  }
}

TEST(TimedStart, SaysWhoMissedADeadlineThatCannotBeMet) {
  const StartOptions hopeless{.first_slack_ns = 1, .min_slack_ns = 1, .max_slack_ns = 1};
  auto timed = on_shared_clock(hopeless);
  for (int round = 0; round < starts; ++round) EXPECT_FALSE(timed.start().in_time);
}

// Advances by a nanosecond at each reading, so that the test does not depend on the speed of the host.
class ReadingsClock {
 public:
  explicit ReadingsClock(std::int64_t time_ns) : time_ns_(std::make_shared<std::int64_t>(time_ns)) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept { return ++*time_ns_; }

 private:
  std::shared_ptr<std::int64_t> time_ns_;
};

TEST(TimedStart, SaysWhoWasThereBeforeTheDeadlineAndWhoWasNot) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const StartOptions fixed{.first_slack_ns = 1'000, .min_slack_ns = 1'000, .max_slack_ns = 1'000};
  for (const bool someone_is_late : {false, true}) {
    const bool late = someone_is_late && rank == 1;
    TimedStart<ReadingsClock> timed(MPI_COMM_WORLD, ReadingsClock(late ? 1'000'000 : 0), fixed);
    for (int round = 0; round < starts; ++round) EXPECT_EQ(timed.start().in_time, !late) << "round " << round;
  }
}

TEST(TimedStart, SlackGrowsAfterAMissAndShrinksAfterSuccess) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // A deadline in one nanosecond is missed, one in a minute is not; the test waits for neither.
  StartAgreement agreement(MPI_COMM_WORLD, {.first_slack_ns = 1'000, .min_slack_ns = 1, .max_slack_ns = 4'000});
  const auto standing_still = [] { return std::int64_t{0}; };
  agreement.report(false);
  (void)agreement.agree(standing_still);
  const std::int64_t after_success = agreement.slack_ns();
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  agreement.report(rank == size - 1);  // one process is enough
  (void)agreement.agree(standing_still);
  const std::int64_t after_miss = agreement.slack_ns();
  for (int round = 0; round < starts; ++round) {
    agreement.report(true);
    const std::int64_t deadline_ns = agreement.agree(standing_still);
    EXPECT_EQ(over_all(deadline_ns, MPI_MIN), over_all(agreement.slack_ns(), MPI_MAX));
  }
  if (rank != 0) return;
  EXPECT_LT(after_success, 1'000);
  EXPECT_GT(after_miss, after_success);
  EXPECT_EQ(agreement.slack_ns(), 4'000);  // the limit
}

TEST(TimedStart, RefusesOptionsThatContradictEachOther) {
  EXPECT_THROW((void)on_shared_clock({.first_slack_ns = 10, .min_slack_ns = 20}), UsageError);
  EXPECT_THROW((void)on_shared_clock({.growth = 0.5}), UsageError);
}

TEST(SuitableWaiting, IsTheSameForAll) {
  const auto waiting = static_cast<std::int64_t>(suitable_waiting(MPI_COMM_WORLD));
  EXPECT_EQ(over_all(waiting, MPI_MIN), over_all(waiting, MPI_MAX));
}

}  // namespace
}  // namespace laxity
