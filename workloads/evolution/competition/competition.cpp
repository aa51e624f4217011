#include "workloads/evolution/competition/competition.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "laxity/error.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/replay.hpp"
#include "workloads/evolution/world/layers.hpp"
#include "workloads/evolution/world/world.hpp"

namespace laxity::evolution {
namespace {

std::array<std::uint64_t, 2> count_descendants(const World& world) noexcept {
  std::array<std::uint64_t, 2> count{};
  for (const Cell& cell : world.cells()) {
    if (cell.alive) ++count[World::ancestor_of(cell.genome.descent)];
  }
  return count;
}

CompetitionTrial run_trial(const CompetitionOptions& options, std::uint64_t seed) {
  const Topology topology = world_topology(options.parameters, 1);
  const Partition partition = partitions::blocks(topology, 1);
  const EvolutionMesh mesh(topology, partition, layer_options(options.parameters));
  ReplayedRun run({.workers = 1, .seed = seed});
  World world(mesh, run.connector(0), options.parameters, seed, {options.genomes.begin(), options.genomes.end()});
  CompetitionTrial trial{.seed = seed, .begin = count_descendants(world)};
  for (std::uint32_t update = 0; update < options.updates; ++update) world.update();
  trial.end = count_descendants(world);
  return trial;
}

void check(const CompetitionOptions& options) {
  check(options.parameters);
  if (options.replicates < 1) throw UsageError("replicates: must be at least 1");
  if (options.threads < 1) throw UsageError("threads: must be at least 1");
  for (const Genome& genome : options.genomes) {
    if (genome.program.size() > options.parameters.mutation.max_length) {
      throw UsageError("a program of " + std::to_string(genome.program.size()) +
                       " instructions is longer than max_length, " +
                       std::to_string(options.parameters.mutation.max_length));
    }
  }
}

// Runs the trials on several threads, each the next one that nobody has begun.
class Trials {
 public:
  Trials(const CompetitionOptions& options, const std::function<void(double)>& progress)
      : options_(options), progress_(progress), trials_(static_cast<std::size_t>(options.replicates)) {}

  std::vector<CompetitionTrial> run() {
    {
      std::vector<std::jthread> threads;
      for (int i = 1; i < std::min(options_.threads, options_.replicates); ++i)
        threads.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    return std::move(trials_);
  }

 private:
  void work() noexcept {
    try {
      for (;;) {
        const std::size_t trial = next_.fetch_add(1, std::memory_order_relaxed);  // only a number: joining publishes
        if (trial >= trials_.size()) return;
        trials_[trial] = run_trial(options_, options_.seed + trial);
        const std::lock_guard lock(mutex_);
        ++done_;
        if (progress_) progress_(static_cast<double>(done_) / static_cast<double>(trials_.size()));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  const CompetitionOptions& options_;
  const std::function<void(double)>& progress_;
  std::vector<CompetitionTrial> trials_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

double CompetitionTrial::log_ratio() const noexcept {
  const auto number = [](std::uint64_t count) { return count == 0 ? 0.5 : static_cast<double>(count); };
  return std::log(number(end[0]) / number(end[1]) * number(begin[1]) / number(begin[0]));
}

Fitter fitter(const CompetitionResult& result) noexcept {
  if (result.log_ratio.low > 0) return Fitter::first;
  return result.log_ratio.high < 0 ? Fitter::second : Fitter::cannot_be_told;
}

CompetitionResult run_competition(const CompetitionOptions& options, const std::function<void(double)>& progress) {
  check(options);
  CompetitionResult result{.trials = Trials(options, progress).run(), .log_ratio = {}};
  std::vector<double> log_ratios;
  for (const CompetitionTrial& trial : result.trials) log_ratios.push_back(trial.log_ratio());
  result.log_ratio = mean_interval(log_ratios);
  return result;
}

}  // namespace laxity::evolution
