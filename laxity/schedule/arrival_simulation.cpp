#include "laxity/schedule/arrival_simulation.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "laxity/error.hpp"
#include "laxity/schedule/simulation.hpp"

namespace laxity::schedule {
namespace {

using collective::ArrivalPattern;

// A cell and what it takes.
struct Task {
  std::size_t algorithm;
  ArrivalPattern pattern;
};

// Calls work(0) to work(count - 1), by several threads. The first failure is thrown here, once all threads have ended.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto take_turns = [&] {
    try {
      for (std::size_t at = next++; at < count; at = next++) work(at);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) others.emplace_back(take_turns);
    take_turns();
  }
  if (failure) std::rethrow_exception(failure);
}

SimulatedCell simulated(const Task& task, const Schedule& schedule, const Machine& machine) {
  const std::vector<double>& delays_s = task.pattern.delays_s;
  const SimulationResult result = simulate(schedule, machine, {.arrival_s = delays_s});
  const double exit_s = static_cast<double>(result.last_exit) * 1e-12;
  const auto [first, last] = std::ranges::minmax_element(delays_s);
  return {.algorithm = task.algorithm,
          .pattern = task.pattern.name,
          .skew_s = task.pattern.max_skew_s(),
          .last_delay_s = std::max(0.0, exit_s - *last),  // exits are rounded to picoseconds
          .total_delay_s = exit_s - *first};
}

// Every algorithm under every pattern with delays. The skew follows from the cells of no_delay.
std::vector<Task> delayed_tasks(const SimulatedBlock& block, const std::vector<SimulatedCell>& no_delay) {
  std::vector<double> no_delay_s;
  for (const SimulatedCell& cell : no_delay) no_delay_s.push_back(cell.last_delay_s);
  const int ranks = static_cast<int>(block.call.ranks);
  std::vector<Task> tasks;
  for (std::size_t at = 0; at < block.algorithms.size(); ++at) {
    for (const collective::SkewPolicy& skew : block.skews)
      for (const collective::Pattern pattern : block.patterns)
        tasks.push_back({at, make_pattern(pattern, ranks, skew.skew_s(no_delay_s, at), block.seed)});
    for (const ArrivalPattern& pattern : block.custom_patterns) tasks.push_back({at, pattern});
  }
  return tasks;
}

}  // namespace

std::vector<SimulatedCell> simulate_arrivals(const SimulatedBlock& block, const Machine& machine, unsigned threads) {
  for (const ArrivalPattern& pattern : block.custom_patterns)
    if (pattern.delays_s.size() != block.call.ranks)
      throw UsageError("pattern " + pattern.name + ": it has the delays of " + std::to_string(pattern.delays_s.size()) +
                       " ranks; there are " + std::to_string(block.call.ranks));
  const std::size_t algorithms = block.algorithms.size();
  const ArrivalPattern no_delay =
      make_pattern(collective::Pattern::no_delay, static_cast<int>(block.call.ranks), 0, block.seed);
  std::vector<std::optional<Schedule>> schedules(algorithms);
  std::vector<SimulatedCell> cells(algorithms);
  in_parallel(algorithms, threads, [&](std::size_t at) {
    schedules[at] = make_schedule(block.call, block.algorithms[at].name);
    cells[at] = simulated({at, no_delay}, *schedules[at], machine);
  });
  const std::vector<Task> tasks = delayed_tasks(block, cells);
  cells.resize(algorithms + tasks.size());
  in_parallel(tasks.size(), threads, [&](std::size_t at) {
    cells[algorithms + at] = simulated(tasks[at], *schedules[tasks[at].algorithm], machine);
  });
  return cells;
}

}  // namespace laxity::schedule
