#include "laxity/collective/benchmark/arrival_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "laxity/collective/benchmark/call_times.hpp"
#include "laxity/collective/benchmark/operation.hpp"
#include "laxity/error.hpp"
#include "laxity/median.hpp"
#include "laxity/mpi_call.hpp"
#include "laxity/random.hpp"

namespace laxity::collective {
namespace {

constexpr int verified_rounds = 2;  // a stale value of the first round is wrong in the second
constexpr int max_rounds_per_batch = 16;
constexpr int max_rounds_per_repetition = 8;  // in a turn of a cell with few valid repetitions

// An algorithm that was verified.
struct VerifiedAlgorithm {
  std::size_t index;  // in ArrivalBlock::algorithms
  ForcedAlgorithm forced;
};

// A cell that is being measured, with the delay of this process.
struct Task {
  const VerifiedAlgorithm* algorithm;
  std::int64_t delay_ns;
  std::int64_t tolerance_ns;
  ArrivalCell cell;
};

bool all_agree(MPI_Comm comm, bool holds_here) {
  int holds = holds_here ? 1 : 0;
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &holds, 1, MPI_INT, MPI_MIN, comm));
  return holds != 0;
}

Verdict verify(MPI_Comm comm, const ForcedAlgorithm& forced, Operation& operation) {
  for (std::uint32_t round = 1; round <= verified_rounds; ++round) {
    operation.fill(round);
    mpi::Result result;
    {
      const auto active = forced.activate();
      result = operation.run(forced.communicator());
    }
    if (!all_agree(comm, result.succeeded())) return Verdict::refused;
    if (!all_agree(comm, operation.is_correct(round))) return Verdict::wrong;
  }
  return Verdict::right;
}

// The median last delay of the valid repetitions. If none is valid, that of all: the skew of the other patterns is derived
// from it.
double median_s(const std::vector<Repetition>& repetitions) {
  std::vector<double> valid_us, all_us;
  for (const Repetition& repetition : repetitions) {
    all_us.push_back(repetition.last_delay_us);
    if (repetition.valid) valid_us.push_back(repetition.last_delay_us);
  }
  std::vector<double>& delays_us = valid_us.empty() ? all_us : valid_us;
  if (delays_us.empty()) return 0;
  return std::max(0.0, median(delays_us) * 1e-6);
}

// Measures the cells of one block.
class CellMeasurement {
 public:
  CellMeasurement(MPI_Comm comm, TimedStart<GlobalClock>& timed, Operation& operation, const ArrivalEffort& effort)
      : comm_(comm), timed_(timed), operation_(operation), effort_(effort) {}

  // Measures all tasks in `turns` turns, each in a new random order. `progress` gets the completed fraction of the turns.
  void measure(std::vector<Task>& tasks, SeededRandom& order, const ArrivalBenchmark::Progress& progress) {
    std::vector<Task*> shuffled;
    for (Task& task : tasks) shuffled.push_back(&task);
    const double turns = static_cast<double>(tasks.size()) * effort_.turns;
    double completed = 0;
    for (int turn = 1; turn <= effort_.turns; ++turn) {
      for (std::size_t left = shuffled.size(); left > 1; --left) {
        std::swap(shuffled[left - 1], shuffled[order.below(static_cast<std::uint32_t>(left))]);
      }
      for (Task* task : shuffled) {
        measure_turn(*task, (effort_.repetitions * turn + effort_.turns - 1) / effort_.turns);
        if (progress) progress(++completed / turns);
      }
    }
  }

 private:
  // Repeats the call until the cell has `wanted` valid repetitions or its budget for one turn is spent.
  void measure_turn(Task& task, int wanted) {
    std::vector<Repetition>& repetitions = task.cell.repetitions;
    const auto valid = [&] {
      return static_cast<int>(std::count_if(repetitions.begin(), repetitions.end(), std::mem_fn(&Repetition::valid)));
    };
    const std::size_t max_rounds =
        repetitions.size() + static_cast<std::size_t>(max_rounds_per_repetition * effort_.repetitions);
    const std::int64_t begin_ns = timed_.clock().now_ns();
    const auto budget_ns = std::llrint(effort_.cell_budget_s / effort_.turns * 1e9);
    std::int64_t spent_ns = 0;
    int batch =
        2;  // the first batch is small, since one round may take most of the budget on an oversubscribed machine
    for (int missing = wanted - valid(); missing > 0 && spent_ns < budget_ns && repetitions.size() < max_rounds;
         missing = wanted - valid()) {
      spent_ns = measure_batch(task, std::min(missing, batch), begin_ns);
      batch = std::min(2 * batch, max_rounds_per_batch);
    }
  }

  // Measures some rounds; the results are reduced once after the batch, so no message of ours precedes a call. Returns the
  // maximum over the processes of the time since `begin_ns`.
  std::int64_t measure_batch(Task& task, int rounds, std::int64_t begin_ns) {
    // Values whose maximum over the processes is needed: four for each round, and the elapsed time.
    std::vector<std::int64_t> maxima(4 * static_cast<std::size_t>(rounds) + 1);
    for (auto of_round = maxima.begin(); of_round != maxima.end() - 1; of_round += 4) {
      const Start start = timed_.start();
      const std::int64_t due_ns = start.deadline_ns + task.delay_ns;
      std::int64_t arrival_ns = 0, exit_ns = 0;
      {
        const auto active = task.algorithm->forced.activate();
        arrival_ns = wait_until(timed_.clock(), due_ns, timed_.waiting());
        const mpi::Result result = operation_.run(task.algorithm->forced.communicator());
        exit_ns = timed_.clock().now_ns();
        if (!result.succeeded()) throw MpiError(result);
      }
      of_round[0] = arrival_ns;
      of_round[1] = -arrival_ns;
      of_round[2] = exit_ns;
      of_round[3] = start.in_time && arrival_ns - due_ns <= task.tolerance_ns ? 0 : 1;
    }
    maxima.back() = timed_.clock().now_ns() - begin_ns;
    mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, maxima.data(), static_cast<int>(maxima.size()), MPI_INT64_T,
                                              MPI_MAX, comm_));
    for (auto of_round = maxima.cbegin(); of_round != maxima.cend() - 1; of_round += 4) {
      const CallTimes times{
          .first_arrival_ns = -of_round[1], .last_arrival_ns = of_round[0], .last_exit_ns = of_round[2]};
      task.cell.repetitions.push_back({of_round[3] == 0, times.last_delay_us(), times.total_delay_us()});
    }
    return maxima.back();
  }

  MPI_Comm comm_;
  TimedStart<GlobalClock>& timed_;
  Operation& operation_;
  const ArrivalEffort& effort_;
};

Task make_task(const VerifiedAlgorithm& algorithm, const ArrivalPattern& pattern, int rank,
               const ArrivalEffort& effort) {
  const double skew_us = pattern.max_skew_s() * 1e6;
  return {.algorithm = &algorithm,
          .delay_ns = std::llrint(pattern.delays_s[static_cast<std::size_t>(rank)] * 1e9),
          .tolerance_ns = std::llrint((effort.tolerance_us + effort.tolerance_share * skew_us) * 1e3),
          .cell = {.algorithm = algorithm.index, .pattern = pattern.name, .skew_us = skew_us, .repetitions = {}}};
}

void check(const ArrivalBlock& block, const ArrivalEffort& effort, int processes) {
  for (const ArrivalPattern& pattern : block.custom_patterns) {
    if (pattern.delays_s.size() == static_cast<std::size_t>(processes)) continue;
    throw UsageError("pattern " + pattern.name + " has " + std::to_string(pattern.delays_s.size()) +
                     " delays; the communicator has " + std::to_string(processes) + " processes");
  }
  if (effort.repetitions < 1 || effort.turns < 1 || effort.turns > effort.repetitions || effort.cell_budget_s <= 0) {
    throw UsageError("ArrivalEffort: expected repetitions >= turns >= 1 and cell_budget_s > 0");
  }
}

// The cells of all patterns with delays. The skew follows from the cells of no_delay.
std::vector<Task> delayed_tasks(const ArrivalBlock& block, const ArrivalEffort& effort,
                                const std::vector<VerifiedAlgorithm>& algorithms, const std::vector<Task>& undelayed,
                                int rank, int processes) {
  std::vector<double> no_delay_s;
  for (const Task& task : undelayed) no_delay_s.push_back(median_s(task.cell.repetitions));
  std::vector<Task> tasks;
  for (std::size_t at = 0; at < algorithms.size(); ++at) {
    for (const Pattern pattern : block.patterns) {
      if (pattern == Pattern::no_delay) continue;
      const double skew_s = block.skew.skew_s(no_delay_s, at);
      tasks.push_back(make_task(algorithms[at], make_pattern(pattern, processes, skew_s, block.seed), rank, effort));
    }
    for (const ArrivalPattern& pattern : block.custom_patterns) {
      tasks.push_back(make_task(algorithms[at], pattern, rank, effort));
    }
  }
  return tasks;
}

}  // namespace

ArrivalBenchmark::ArrivalBenchmark(MPI_Comm comm, const GlobalClock& global, const LibraryAlgorithms& library,
                                   const StartOptions& start)
    : comm_(comm), library_(library), timed_(comm, global, start) {
  rank_ = mpi::rank_in(comm_);
  processes_ = mpi::size_of(comm_);
}

BlockResult ArrivalBenchmark::measure(const ArrivalBlock& block, const ArrivalEffort& effort,
                                      const Progress& progress) {
  check(block, effort, processes_);
  Operation operation(block.collective, block.bytes, comm_);
  BlockResult result;
  std::vector<VerifiedAlgorithm> algorithms;
  for (std::size_t index = 0; index < block.algorithms.size(); ++index) {
    ForcedAlgorithm forced = library_.force(comm_, block.collective, block.algorithms[index].id);
    result.verdicts.push_back(verify(comm_, forced, operation));
    if (result.verdicts.back() == Verdict::right) algorithms.push_back({index, std::move(forced)});
  }
  SeededRandom order(block.seed);
  CellMeasurement measurement(comm_, timed_, operation, effort);
  const double patterns = 1 + static_cast<double>(block.patterns.size() + block.custom_patterns.size());
  const auto progress_between = [&](double from, double to) -> Progress {
    if (!progress) return {};
    return [&progress, from, to](double fraction) { progress(from + (to - from) * fraction); };
  };
  std::vector<Task> undelayed;
  const ArrivalPattern no_delay = make_pattern(Pattern::no_delay, processes_, 0);
  for (const auto& algorithm : algorithms) undelayed.push_back(make_task(algorithm, no_delay, rank_, effort));
  measurement.measure(undelayed, order, progress_between(0, 1 / patterns));
  std::vector<Task> delayed = delayed_tasks(block, effort, algorithms, undelayed, rank_, processes_);
  measurement.measure(delayed, order, progress_between(1 / patterns, 1));
  for (Task& task : undelayed) result.cells.push_back(std::move(task.cell));
  for (Task& task : delayed) result.cells.push_back(std::move(task.cell));
  return result;
}

}  // namespace laxity::collective
