#include "laxity/collective/benchmark/arrival_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "laxity/bootstrap.hpp"
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
constexpr int max_rounds_per_repetition = 8;  // of a cell with few valid repetitions
constexpr int trial_rounds = 5;               // from which the length of a call is estimated

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
  std::int64_t spent_ns = 0;  // the same on all processes
};

// The number of turns with a valid repetition. Repetitions are in the order of their turns.
std::size_t valid_turns(const std::vector<Repetition>& repetitions) {
  std::size_t turns = 0;
  int last = -1;
  for (const Repetition& repetition : repetitions) {
    if (!repetition.valid || repetition.turn == last) continue;
    last = repetition.turn;
    ++turns;
  }
  return turns;
}

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
      result = operation.run(forced.communicator(), forced.id());
    }
    if (!all_agree(comm, result.succeeded())) return Verdict::refused;
    if (!all_agree(comm, operation.is_correct(round))) return Verdict::wrong;
  }
  return Verdict::right;
}

// The median last delay of the valid repetitions. If none is valid, that of all: the skew of the other patterns is
// derived from it.
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

  // Measures all tasks in several turns, each in a new random order. `progress` gets the completed fraction of the
  // turns.
  void measure(std::vector<Task>& tasks, SeededRandom& order, const ArrivalBenchmark::Progress& progress) {
    std::vector<Task*> shuffled;
    for (Task& task : tasks) shuffled.push_back(&task);
    const double turns = static_cast<double>(tasks.size()) * effort_.turns;
    double completed = 0;
    for (int turn = 0; turn < effort_.turns; ++turn) {
      for (std::size_t left = shuffled.size(); left > 1; --left) {
        std::swap(shuffled[left - 1], shuffled[order.below(static_cast<std::uint32_t>(left))]);
      }
      for (Task* task : shuffled) {
        measure_turn(*task, turn);
        if (progress) progress(++completed / turns);
      }
    }
  }

  // The median last delay of each task in a few calls, valid or not.
  [[nodiscard]] std::vector<double> try_out(std::vector<Task> tasks) {
    std::vector<double> lengths_us;
    for (Task& task : tasks) {
      measure_batch(task, 0, trial_rounds);
      std::vector<double> last_delays_us;
      for (const Repetition& each : task.cell.repetitions) last_delays_us.push_back(each.last_delay_us);
      lengths_us.push_back(median(std::move(last_delays_us)));
    }
    return lengths_us;
  }

 private:
  // Repeats the call until the cell has its share of valid repetitions, or until its share of the budget is spent. A
  // cell that exceeds its share waits for the turns in which it has caught up, or in which it has its share of the valid
  // turns that every choice needs: a cell with fewer would have been measured in vain.
  void measure_turn(Task& task, int turn) {
    const double share = static_cast<double>(turn + 1) / effort_.turns;
    std::vector<Repetition>& repetitions = task.cell.repetitions;
    const auto missing = [&] {
      const auto valid = std::count_if(repetitions.begin(), repetitions.end(), std::mem_fn(&Repetition::valid));
      return static_cast<int>(std::ceil(effort_.repetitions * share)) - static_cast<int>(valid);
    };
    const auto max_rounds = static_cast<std::size_t>(max_rounds_per_repetition * effort_.repetitions * share);
    const auto budget_ns = std::llrint(effort_.cell_budget_s * share * 1e9);
    if (missing() > 0 && task.spent_ns >= budget_ns &&
        static_cast<double>(valid_turns(repetitions)) < share * min_values_for_interval) {
      measure_batch(task, turn, 1);
    }
    int batch =
        2;  // the first batch is small, since one round may take most of the budget on an oversubscribed machine
    while (missing() > 0 && task.spent_ns < budget_ns && repetitions.size() < max_rounds) {
      measure_batch(task, turn, std::min(missing(), batch));
      batch = std::min(2 * batch, max_rounds_per_batch);
    }
  }

  // Measures some rounds; the results are reduced once after the batch, so no message of ours precedes a call.
  void measure_batch(Task& task, int turn, int rounds) {
    // Values whose maximum over the processes is needed: five for each round, and the elapsed time.
    constexpr std::size_t values = 5;
    std::vector<std::int64_t> maxima(values * static_cast<std::size_t>(rounds) + 1);
    const std::int64_t begin_ns = timed_.clock().now_ns();
    for (auto of_round = maxima.begin(); of_round != maxima.end() - 1; of_round += values) {
      const std::int64_t due_ns = timed_.start().deadline_ns + task.delay_ns;
      std::int64_t arrival_ns = 0, exit_ns = 0;
      {
        const auto active = task.algorithm->forced.activate();
        arrival_ns = wait_until(timed_.clock(), due_ns, timed_.waiting());
        const ForcedAlgorithm& forced = task.algorithm->forced;
        const mpi::Result result = operation_.run(forced.communicator(), forced.id());
        exit_ns = timed_.clock().now_ns();
        if (!result.succeeded()) throw MpiError(result);
      }
      of_round[0] = arrival_ns;
      of_round[1] = -arrival_ns;
      of_round[2] = exit_ns;
      of_round[3] = arrival_ns - due_ns;
      of_round[4] = due_ns - arrival_ns;
    }
    maxima.back() = timed_.clock().now_ns() - begin_ns;
    mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, maxima.data(), static_cast<int>(maxima.size()), MPI_INT64_T,
                                              MPI_MAX, comm_));
    for (auto of_round = maxima.cbegin(); of_round != maxima.cend() - 1; of_round += values) {
      const CallTimes times{
          .first_arrival_ns = -of_round[1], .last_arrival_ns = of_round[0], .last_exit_ns = of_round[2]};
      const bool valid = of_round[3] + of_round[4] <= task.tolerance_ns;
      task.cell.repetitions.push_back({turn, valid, times.last_delay_us(), times.total_delay_us()});
    }
    task.spent_ns += maxima.back();
  }

  MPI_Comm comm_;
  TimedStart<GlobalClock>& timed_;
  Operation& operation_;
  const ArrivalEffort& effort_;
};

// `length_us` is the length of a call.
Task make_task(const VerifiedAlgorithm& algorithm, const ArrivalPattern& pattern, int rank, const ArrivalEffort& effort,
               double length_us) {
  const double skew_us = pattern.max_skew_s() * 1e6;
  const double tolerance_us = std::max(effort.tolerance_us, effort.tolerance_share * (length_us + skew_us));
  return {.algorithm = &algorithm,
          .delay_ns = std::llrint(pattern.delays_s[static_cast<std::size_t>(rank)] * 1e9),
          .tolerance_ns = std::llrint(tolerance_us * 1e3),
          .cell = {.algorithm = algorithm.index,
                   .pattern = pattern.name,
                   .skew_us = skew_us,
                   .tolerance_us = tolerance_us,
                   .repetitions = {}}};
}

std::vector<Task> undelayed_tasks(const std::vector<VerifiedAlgorithm>& algorithms, int rank, int processes,
                                  const ArrivalEffort& effort, double length_us) {
  const ArrivalPattern no_delay = make_pattern(Pattern::no_delay, processes, 0);
  std::vector<Task> tasks;
  for (const auto& algorithm : algorithms) tasks.push_back(make_task(algorithm, no_delay, rank, effort, length_us));
  return tasks;
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
                                int rank, int processes, double length_us) {
  std::vector<double> no_delay_s;
  for (const Task& task : undelayed) no_delay_s.push_back(median_s(task.cell.repetitions));
  std::vector<Task> tasks;
  for (const DelayedCall& call : delayed_calls(block, processes, no_delay_s))
    tasks.push_back(make_task(algorithms[call.algorithm], call.pattern, rank, effort, length_us));
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
  const double patterns =
      1 + static_cast<double>(block.patterns.size() * block.skews.size() + block.custom_patterns.size());
  const auto progress_between = [&](double from, double to) -> Progress {
    if (!progress) return {};
    return [&progress, from, to](double fraction) { progress(from + (to - from) * fraction); };
  };
  if (algorithms.empty()) return result;
  const double length_us = median(measurement.try_out(undelayed_tasks(algorithms, rank_, processes_, effort, 0)));
  std::vector<Task> undelayed = undelayed_tasks(algorithms, rank_, processes_, effort, length_us);
  measurement.measure(undelayed, order, progress_between(0, 1 / patterns));
  std::vector<Task> delayed = delayed_tasks(block, effort, algorithms, undelayed, rank_, processes_, length_us);
  measurement.measure(delayed, order, progress_between(1 / patterns, 1));
  for (Task& task : undelayed) result.cells.push_back(std::move(task.cell));
  for (Task& task : delayed) result.cells.push_back(std::move(task.cell));
  return result;
}

}  // namespace laxity::collective
