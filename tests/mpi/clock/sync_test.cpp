// Clocks with injected errors, synchronized over MPI, against the true clock that all ranks of a host share.
//
// On a busy host messages may be delayed by any time, so the bounds of errors are generous here, but far below the
// offsets and drifts that were injected. benchmarks/clock_sync measures the errors.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <cstdint>

#include "laxity/clock/mpi_sync.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

constexpr SyncOptions quick{.fit_points = 20, .fit_window_ns = 40'000'000};
constexpr double max_error_ns = 5e6;  // a hundredth of a typical injected offset

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

std::int64_t same_everywhere(std::int64_t value) {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return value;
}

// The clock with injected error number `number`; after synchronization it must show the time of number 0, of rank 0.
struct WrongClocks {
  std::int64_t origin_ns = same_everywhere(SteadyClock{}.now_ns());

  [[nodiscard]] ModeledClock<SteadyClock> clock(int number) const {
    return ModeledClock(SteadyClock{}, random_clock_model(static_cast<std::uint64_t>(number) + 1, origin_ns));
  }
  // Both from one reading of the true clock, so that the difference is the error of the model.
  [[nodiscard]] double error_ns(int number, const ClockModel& learned, std::int64_t true_ns) const {
    const std::int64_t local_ns = clock(number).model().to_global(true_ns);
    return static_cast<double>(learned.to_global(local_ns) - clock(0).model().to_global(true_ns));
  }
};

SyncedClock synchronize_wrong(const WrongClocks& wrong, int number, ClockIdentity identity,
                              const SyncOptions& options) {
  const auto clock = wrong.clock(number);
  return synchronize_clock(
      MPI_COMM_WORLD, [clock] { return clock.now_ns(); }, identity, options);
}

TEST(SynchronizeClock, FindsOffsetsAndDriftsOfWrongClocks) {
  const int rank = rank_of(MPI_COMM_WORLD);
  const WrongClocks wrong;
  const SyncedClock synced = synchronize_wrong(wrong, rank, unshared_clock, quick);
  EXPECT_LT(std::abs(wrong.error_ns(rank, synced.model, SteadyClock{}.now_ns())), max_error_ns);
  EXPECT_EQ(synced.propagated, false);
  EXPECT_EQ(synced.hops == 0, rank == 0);
}

TEST(SynchronizeClock, KeepsTheClockOfRankZeroAsItIs) {
  const int rank = rank_of(MPI_COMM_WORLD);
  const SyncedClock synced = synchronize_wrong(WrongClocks{}, rank, unshared_clock, quick);
  if (rank != 0) return;
  EXPECT_EQ(synced.model.to_global(123'456'789), 123'456'789);
}

TEST(SynchronizeClock, ReachesEverybodyInALogarithmOfHops) {
  const int size = size_of(MPI_COMM_WORLD);
  const SyncedClock synced = synchronize_wrong(WrongClocks{}, rank_of(MPI_COMM_WORLD), unshared_clock, quick);
  EXPECT_LE(synced.hops, static_cast<int>(std::ceil(std::log2(size))));
}

TEST(SynchronizeClock, ProcessesOfOneClockTakeItAsItIs) {
  const GlobalClock global = synchronized_steady_clock(MPI_COMM_WORLD);
  EXPECT_EQ(global.model().to_global(987'654'321), 987'654'321);
}

TEST(SynchronizeClock, PassesWhatOneHasLearnedToThoseWhoReadTheSameClock) {
  // Two ranks share a clock, as if each pair were on a host of its own.
  const int number = rank_of(MPI_COMM_WORLD) / 2;
  const WrongClocks wrong;
  const SyncedClock synced = synchronize_wrong(wrong, number, static_cast<ClockIdentity>(number) + 1, quick);
  EXPECT_EQ(synced.propagated, rank_of(MPI_COMM_WORLD) % 2 == 1);
  EXPECT_LT(std::abs(wrong.error_ns(number, synced.model, SteadyClock{}.now_ns())), max_error_ns);

  ClockModel of_first = synced.model;
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, number, 0, &pair);
  MPI_Bcast(&of_first, sizeof of_first, MPI_BYTE, 0, pair);
  MPI_Comm_free(&pair);
  EXPECT_EQ(of_first.origin_ns, synced.model.origin_ns);
  EXPECT_EQ(of_first.offset_ns, synced.model.offset_ns);
  EXPECT_EQ(of_first.drift, synced.model.drift);
}

TEST(SynchronizeClock, ASharedClockThatIsMeasuredAllTheSameHasNoDrift) {
  SyncOptions everybody = quick;
  everybody.propagate = false;
  const SteadyClock steady;
  const SyncedClock synced = synchronize_clock(
      MPI_COMM_WORLD, [steady] { return steady.now_ns(); }, steady_clock_identity(), everybody);
  if (steady_clock_identity() == unshared_clock) GTEST_SKIP() << "the system does not say which clock this is";
  EXPECT_EQ(synced.model.drift, 0);
  EXPECT_EQ(synced.propagated, false);
}

TEST(SynchronizeClock, RemeasuresTheOffsetWhereAsked) {
  SyncOptions twice = quick;
  twice.remeasure_offset = true;
  const int rank = rank_of(MPI_COMM_WORLD);
  const WrongClocks wrong;
  const SyncedClock synced = synchronize_wrong(wrong, rank, unshared_clock, twice);
  EXPECT_LT(std::abs(wrong.error_ns(rank, synced.model, SteadyClock{}.now_ns())), max_error_ns);
}

TEST(SynchronizeClock, RefusesToMeasureNothing) {
  SyncOptions none = quick;
  none.fit_points = 0;
  EXPECT_THROW((void)synchronized_steady_clock(MPI_COMM_WORLD, none), UsageError);
}

}  // namespace
}  // namespace laxity
