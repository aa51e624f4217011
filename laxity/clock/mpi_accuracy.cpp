#include "laxity/clock/mpi_accuracy.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "laxity/clock/mpi_program.hpp"
#include "laxity/clock/mpi_wait.hpp"
#include "laxity/clock/offset_envelope.hpp"
#include "laxity/median.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

using GlobalView =
    ModeledClock<ModeledClock<SteadyClock>>;  // the global clock, computed from a clock that may have an injected error

// Pins processes that measure each other to different processors, as if they were on two hosts: the ranks of a pair in
// HCA3 differ in one bit, so ranks with an even number of bits go to one processor and the others to another.
class PinApartFromPartners {
 public:
  explicit PinApartFromPartners(int rank) {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0 || CPU_COUNT(&before_) < 2) return;
    int to_pass = std::popcount(static_cast<unsigned>(rank)) % 2;
    for (std::size_t processor = 0; processor < CPU_SETSIZE && !bound_; ++processor) {
      if (!CPU_ISSET(processor, &before_) || to_pass-- > 0) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(processor, &one);
      bound_ = sched_setaffinity(0, sizeof one, &one) == 0;
      return;
    }
  }
  PinApartFromPartners(const PinApartFromPartners&) = delete;
  PinApartFromPartners& operator=(const PinApartFromPartners&) = delete;
  ~PinApartFromPartners() {
    if (bound_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool bound_ = false;
};

// Receives one word from a partner, yielding the core while it waits.
std::int64_t receive(MPI_Comm comm, int from) {
  std::int64_t word = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check("MPI_Irecv", MPI_Irecv(&word, 1, MPI_INT64_T, from, 0, comm, &request));
  wait_yielding(request, 0);
  return word;
}

void send(MPI_Comm comm, int to, std::int64_t word) {
  mpi::check("MPI_Send", MPI_Send(&word, 1, MPI_INT64_T, to, 0, comm));
}

// The true clock of rank 0 as a model of the steady clock, known if that is shared with rank 0.
struct TrueClock {
  bool shared = false;
  ClockModel first;  // from the steady clock to the clock of rank 0

  [[nodiscard]] double error_ns(const GlobalView& global, std::int64_t steady_ns) const {
    const std::int64_t local_ns = global.local().model().to_global(steady_ns);
    return static_cast<double>(global.model().to_global(local_ns) - first.to_global(steady_ns));
  }
};

TrueClock true_clock_of_rank_zero(MPI_Comm comm, ClockModel own) {
  ClockIdentity identity = steady_clock_identity(), of_first = identity;
  mpi::check("MPI_Bcast", MPI_Bcast(&of_first, 1, MPI_UINT64_T, 0, comm));
  mpi::check("MPI_Bcast", MPI_Bcast(&own, sizeof own, MPI_BYTE, 0, comm));
  int mine = identity == of_first && identity != unshared_clock ? 1 : 0;
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MIN, comm));
  return {.shared = mine != 0, .first = own};
}

void sleep_until(const SteadyClock& clock, std::int64_t moment_ns) {
  const std::int64_t left_ns = moment_ns - clock.now_ns();
  if (left_ns <= 0) return;
  const timespec pause{.tv_sec = left_ns / 1'000'000'000, .tv_nsec = left_ns % 1'000'000'000};
  nanosleep(&pause, nullptr);
}

void measure_errors(MPI_Comm comm, const AccuracyOptions& options, const SyncedClock& synced, const GlobalView& global,
                    AccuracyReport& report) {
  static_assert(std::is_trivially_copyable_v<ClockError>);
  const TrueClock truth = true_clock_of_rank_zero(comm, global.local().model());
  const SteadyClock steady;
  const std::int64_t begin_ns = steady.now_ns();
  const bool first = mpi::rank_in(comm) == 0;
  const auto processes = static_cast<std::size_t>(report.processes);
  for (const double moment_s : options.moments_s) {
    sleep_until(steady, begin_ns + std::llrint(moment_s * 1e9));
    const std::int64_t now_ns = steady.now_ns();
    MeasuredError measured;
    if (truth.shared) {
      measured.error_ns = truth.error_ns(global, now_ns);
    } else {
      measured = measured_error(comm, [&global] { return global.now_ns(); });
    }
    const ClockError own{.rank = mpi::rank_in(comm),
                         .hops = synced.hops,
                         .after_s = static_cast<double>(now_ns - begin_ns) * 1e-9,
                         .error_ns = measured.error_ns,
                         .uncertainty_ns = measured.uncertainty_ns,
                         .offset_ns = synced.model.offset_ns,
                         .drift = synced.model.drift,
                         .injected_drift = global.local().model().drift - truth.first.drift};
    std::vector<ClockError> all(first ? processes : 0);
    mpi::check("MPI_Gather", MPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm));
    report.errors.insert(report.errors.end(), all.begin(), all.end());
  }
}

// The spread of the valid rounds over all processes, at rank 0.
ExitSpread spread_of(MPI_Comm comm, const std::vector<std::int64_t>& left_ns, const std::vector<int>& valid) {
  const auto rounds = static_cast<int>(left_ns.size());
  std::vector<std::int64_t> first(left_ns.size()), last(left_ns.size());
  mpi::check("MPI_Reduce", MPI_Reduce(left_ns.data(), first.data(), rounds, MPI_INT64_T, MPI_MIN, 0, comm));
  mpi::check("MPI_Reduce", MPI_Reduce(left_ns.data(), last.data(), rounds, MPI_INT64_T, MPI_MAX, 0, comm));
  std::vector<double> spread_us;
  for (std::size_t round = 0; round < left_ns.size(); ++round) {
    if (valid[round] != 0) spread_us.push_back(static_cast<double>(last[round] - first[round]) * 1e-3);
  }
  if (spread_us.empty()) return {};
  std::sort(spread_us.begin(), spread_us.end());
  return {.median_us = median(spread_us), .p95_us = spread_us[spread_us.size() * 95 / 100]};
}

void measure_starts(MPI_Comm comm, const AccuracyOptions& options, const GlobalView& global, AccuracyReport& report) {
  TimedStart timed(comm, global, options.start);
  const auto rounds = static_cast<std::size_t>(options.starts);
  std::vector<std::int64_t> start_left_ns(rounds), barrier_left_ns(rounds);
  std::vector<int> in_time(rounds);
  const std::vector<int> every(rounds, 1);
  // A pause after each, so that what a process does next does not delay processes that share its core.
  const auto settle = [&] { wait_until(global, global.now_ns() + 100'000, timed.waiting()); };
  for (std::size_t round = 0; round < rounds; ++round) {
    const AgreedStart start = timed.start();
    start_left_ns[round] = start.left_ns;
    in_time[round] = start.in_time ? 1 : 0;
    settle();
    mpi::check("MPI_Barrier", MPI_Barrier(comm));
    barrier_left_ns[round] = global.now_ns();
    settle();
  }
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, in_time.data(), options.starts, MPI_INT, MPI_MIN, comm));
  report.waiting = timed.waiting();
  report.starts = options.starts;
  report.starts_in_time = static_cast<int>(std::count(in_time.begin(), in_time.end(), 1));
  report.final_slack_us = static_cast<double>(timed.slack_ns()) * 1e-3;
  report.start = spread_of(comm, start_left_ns, in_time);
  report.barrier = spread_of(comm, barrier_left_ns, every);
}

}  // namespace

MeasuredError measured_error(MPI_Comm comm, const ReadClock& global) {
  constexpr int exchanges = 200;
  const int rank = mpi::rank_in(comm), size = mpi::size_of(comm);
  OffsetEnvelope envelope;
  for (int asker = 1; asker < size; ++asker) {
    for (int exchange = 0; exchange < exchanges && (rank == 0 || rank == asker); ++exchange) {
      if (rank == 0) {
        (void)receive(comm, asker);
        send(comm, asker, global());
      } else {
        const std::int64_t sent_ns = global();
        send(comm, 0, 0);
        const std::int64_t answer_ns = receive(comm, 0);
        (void)envelope.add(sent_ns, answer_ns, global());
      }
    }
    MPI_Request turn_over = MPI_REQUEST_NULL;
    mpi::check("MPI_Ibarrier", MPI_Ibarrier(comm, &turn_over));
    wait_sleeping(turn_over);
  }
  if (rank == 0) return {};
  return {.error_ns = -envelope.offset_ns(), .uncertainty_ns = envelope.width_ns() / 2};
}

AccuracyReport measure_accuracy(MPI_Comm comm, const AccuracyOptions& options) {
  const SteadyClock steady;
  const int rank = mpi::rank_in(comm);
  std::int64_t origin_ns = steady.now_ns();
  mpi::check("MPI_Bcast", MPI_Bcast(&origin_ns, 1, MPI_INT64_T, 0, comm));
  ClockModel wrong;
  if (options.wrong_clocks) {
    wrong = random_clock_model(options.seed + static_cast<std::uint64_t>(rank), origin_ns, options.max_offset_ns,
                               options.max_drift);
  }
  const ModeledClock local(steady, wrong);
  const ClockIdentity identity = options.wrong_clocks ? unshared_clock : steady_clock_identity();
  AccuracyReport report;
  report.processes = mpi::size_of(comm);
  report.hosts = count_hosts(comm);
  mpi::check("MPI_Barrier", MPI_Barrier(comm));
  const std::int64_t begin_ns = steady.now_ns();
  const SyncedClock synced = synchronize_clock(
      comm, [local] { return local.now_ns(); }, identity, options.sync);
  report.synchronization_s = static_cast<double>(steady.now_ns() - begin_ns) * 1e-9;
  const GlobalView global(local, synced.model);
  measure_errors(comm, options, synced, global, report);
  if (options.starts > 0) measure_starts(comm, options, global, report);
  return report;
}

}  // namespace laxity
