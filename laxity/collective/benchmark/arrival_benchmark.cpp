#include "laxity/collective/benchmark/arrival_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "laxity/collective/benchmark/call_times.hpp"
#include "laxity/collective/benchmark/operation.hpp"
#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"
#include "laxity/random.hpp"

namespace laxity::collective {
namespace {

constexpr int verified_rounds = 2;  // a value left over from the first would be wrong in the second
constexpr int max_rounds_per_batch = 16;
constexpr int max_rounds_per_repetition = 8;  // of a cell in which nearly nothing is valid

// One algorithm that works, and the buffers it is called with.
struct Candidate {
  std::size_t place;  // in ArrivalBlock::algorithms
  ForcedAlgorithm forced;
};

// A cell while it is measured: what this process does in it.
struct Task {
  const Candidate* candidate;
  std::int64_t delay_ns;
  std::int64_t tolerance_ns;
  ArrivalCell cell;
};

int agreed(MPI_Comm comm, int value, MPI_Op operation) {
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, operation, comm));
  return value;
}

Verdict verify(MPI_Comm comm, const ForcedAlgorithm& forced, Operation& operation) {
  for (std::uint32_t round = 1; round <= verified_rounds; ++round) {
    operation.fill(round);
    mpi::Result answer;
    {
      const auto active = forced.activate();
      answer = operation.run(forced.communicator());
    }
    if (agreed(comm, answer.succeeded() ? 1 : 0, MPI_MIN) == 0) return Verdict::refused;
    if (agreed(comm, operation.is_right(round) ? 1 : 0, MPI_MIN) == 0) return Verdict::wrong;
  }
  return Verdict::right;
}

// The median last delay of the valid repetitions; of all if none is valid, for there must be a skew to go on with.
double median_s(const std::vector<Repetition>& repetitions) {
  std::vector<double> valid_us, all_us;
  for (const Repetition& repetition : repetitions) {
    all_us.push_back(repetition.last_delay_us);
    if (repetition.valid) valid_us.push_back(repetition.last_delay_us);
  }
  std::vector<double>& delays_us = valid_us.empty() ? all_us : valid_us;
  if (delays_us.empty()) return 0;
  const auto middle = delays_us.begin() + static_cast<std::ptrdiff_t>(delays_us.size() / 2);
  std::nth_element(delays_us.begin(), middle, delays_us.end());
  return std::max(0.0, *middle * 1e-6);
}

// The calls of one block: what all its cells have together.
class Measuring {
 public:
  Measuring(MPI_Comm comm, TimedStart<GlobalClock>& timed, Operation& operation, const ArrivalEffort& effort)
      : comm_(comm), timed_(timed), operation_(operation), effort_(effort) {}

  // A turn for each task, as often as the effort says. `done` is told the share of all turns that is over.
  void take_turns(std::vector<Task>& tasks, SeededRandom& order, const ArrivalBenchmark::Progress& done) {
    std::vector<Task*> shuffled;
    for (Task& task : tasks) shuffled.push_back(&task);
    const double turns = static_cast<double>(tasks.size()) * effort_.turns;
    double taken = 0;
    for (int turn = 1; turn <= effort_.turns; ++turn) {
      for (std::size_t left = shuffled.size(); left > 1; --left) {
        std::swap(shuffled[left - 1], shuffled[order.below(static_cast<std::uint32_t>(left))]);
      }
      for (Task* task : shuffled) {
        take_turn(*task, (effort_.repetitions * turn + effort_.turns - 1) / effort_.turns);
        if (done) done(++taken / turns);
      }
    }
  }

 private:
  // Until the cell has `wanted` valid repetitions, or its share of the budget is spent.
  void take_turn(Task& task, int wanted) {
    std::vector<Repetition>& repetitions = task.cell.repetitions;
    const auto valid = [&] {
      return static_cast<int>(std::count_if(repetitions.begin(), repetitions.end(), std::mem_fn(&Repetition::valid)));
    };
    const std::size_t max_rounds =
        repetitions.size() + static_cast<std::size_t>(max_rounds_per_repetition * effort_.repetitions);
    const std::int64_t begin_ns = timed_.clock().now_ns();
    const auto budget_ns = std::llrint(effort_.cell_budget_s / effort_.turns * 1e9);
    std::int64_t spent_ns = 0;
    int batch = 2;  // small at first: on a crowded machine a round may take a good part of the budget
    for (int missing = wanted - valid(); missing > 0 && spent_ns < budget_ns && repetitions.size() < max_rounds;
         missing = wanted - valid()) {
      spent_ns = measure_batch(task, std::min(missing, batch), begin_ns);
      batch = std::min(2 * batch, max_rounds_per_batch);
    }
  }

  // Some rounds without messages between them but those of the start. Returns the longest time since `begin_ns` that a
  // process saw, the same on all of them.
  std::int64_t measure_batch(Task& task, int rounds, std::int64_t begin_ns) {
    // Four values a round whose maximum over the processes is asked for, and the time spent.
    std::vector<std::int64_t> most(4 * static_cast<std::size_t>(rounds) + 1);
    for (auto of_round = most.begin(); of_round != most.end() - 1; of_round += 4) {
      const Start start = timed_.start();
      const std::int64_t due_ns = start.deadline_ns + task.delay_ns;
      std::int64_t arrival_ns = 0, exit_ns = 0;
      {
        const auto active = task.candidate->forced.activate();
        arrival_ns = wait_until(timed_.clock(), due_ns, timed_.waiting());
        const mpi::Result answer = operation_.run(task.candidate->forced.communicator());
        exit_ns = timed_.clock().now_ns();
        if (!answer.succeeded()) throw MpiError(answer);
      }
      of_round[0] = arrival_ns;
      of_round[1] = -arrival_ns;
      of_round[2] = exit_ns;
      of_round[3] = start.in_time && arrival_ns - due_ns <= task.tolerance_ns ? 0 : 1;
    }
    most.back() = timed_.clock().now_ns() - begin_ns;
    mpi::check("MPI_Allreduce",
               MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_INT64_T, MPI_MAX, comm_));
    for (auto of_round = most.cbegin(); of_round != most.cend() - 1; of_round += 4) {
      const CallTimes times{
          .first_arrival_ns = -of_round[1], .last_arrival_ns = of_round[0], .last_exit_ns = of_round[2]};
      task.cell.repetitions.push_back({of_round[3] == 0, times.last_delay_us(), times.total_delay_us()});
    }
    return most.back();
  }

  MPI_Comm comm_;
  TimedStart<GlobalClock>& timed_;
  Operation& operation_;
  const ArrivalEffort& effort_;
};

Task make_task(const Candidate& candidate, const ArrivalPattern& pattern, int rank, const ArrivalEffort& effort) {
  const double skew_us = pattern.max_skew_s() * 1e6;
  return {.candidate = &candidate,
          .delay_ns = std::llrint(pattern.delays_s[static_cast<std::size_t>(rank)] * 1e9),
          .tolerance_ns = std::llrint((effort.tolerance_us + effort.tolerance_share * skew_us) * 1e3),
          .cell = {.algorithm = candidate.place, .pattern = pattern.name, .skew_us = skew_us, .repetitions = {}}};
}

void check(const ArrivalBlock& block, const ArrivalEffort& effort, int processes) {
  for (const ArrivalPattern& pattern : block.given) {
    if (pattern.delays_s.size() == static_cast<std::size_t>(processes)) continue;
    throw UsageError("pattern " + pattern.name + " is for " + std::to_string(pattern.delays_s.size()) +
                     " processes, not for " + std::to_string(processes));
  }
  if (effort.repetitions < 1 || effort.turns < 1 || effort.turns > effort.repetitions || effort.cell_budget_s <= 0) {
    throw UsageError(
        "arrival benchmark: at least one repetition, one turn, no more turns than repetitions, and a budget");
  }
}

// All patterns that delay somebody, for each algorithm with the skew that is due to it.
std::vector<Task> delayed_tasks(const ArrivalBlock& block, const ArrivalEffort& effort,
                                const std::vector<Candidate>& candidates, const std::vector<Task>& undelayed, int rank,
                                int processes) {
  std::vector<double> no_delay_s;
  for (const Task& task : undelayed) no_delay_s.push_back(median_s(task.cell.repetitions));
  std::vector<Task> tasks;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    for (const Pattern pattern : block.patterns) {
      if (pattern == Pattern::no_delay) continue;
      const double skew_s = block.skew.skew_s(no_delay_s, at);
      tasks.push_back(make_task(candidates[at], make_pattern(pattern, processes, skew_s, block.seed), rank, effort));
    }
    for (const ArrivalPattern& pattern : block.given) tasks.push_back(make_task(candidates[at], pattern, rank, effort));
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
  std::vector<Candidate> candidates;
  for (std::size_t place = 0; place < block.algorithms.size(); ++place) {
    ForcedAlgorithm forced = library_.force(comm_, block.collective, block.algorithms[place].id);
    result.verdicts.push_back(verify(comm_, forced, operation));
    if (result.verdicts.back() == Verdict::right) candidates.push_back({place, std::move(forced)});
  }
  SeededRandom order(block.seed);
  Measuring measuring(comm_, timed_, operation, effort);
  const double patterns = 1 + static_cast<double>(block.patterns.size() + block.given.size());
  const auto share = [&](double from, double to) -> Progress {
    if (!progress) return {};
    return [&progress, from, to](double done) { progress(from + (to - from) * done); };
  };
  std::vector<Task> undelayed;
  const ArrivalPattern nobody = make_pattern(Pattern::no_delay, processes_, 0);
  for (const Candidate& candidate : candidates) undelayed.push_back(make_task(candidate, nobody, rank_, effort));
  measuring.take_turns(undelayed, order, share(0, 1 / patterns));
  std::vector<Task> delayed = delayed_tasks(block, effort, candidates, undelayed, rank_, processes_);
  measuring.take_turns(delayed, order, share(1 / patterns, 1));
  for (Task& task : undelayed) result.cells.push_back(std::move(task.cell));
  for (Task& task : delayed) result.cells.push_back(std::move(task.cell));
  return result;
}

}  // namespace laxity::collective
