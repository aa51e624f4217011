// How long a message schedule takes to make and to simulate. See README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "laxity/collective/aliases.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/median.hpp"
#include "laxity/schedule/arrival_simulation.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/machine_file.hpp"
#include "laxity/schedule/simulation.hpp"

namespace {

using laxity::collective::Collective;
using laxity::schedule::CollectiveCall;

struct Case {
  Collective collective;
  const char* algorithm;
  std::uint32_t ranks;
  std::uint64_t bytes;
  double goal_s;  // for both steps together; 0: none
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void measure(const Case& what, int repeats) {
  std::vector<double> made, simulated;
  std::size_t ops = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const auto schedule = laxity::schedule::make_schedule(
        {.collective = what.collective, .ranks = what.ranks, .bytes = what.bytes}, what.algorithm);
    made.push_back(seconds_since(begin));
    const auto between = std::chrono::steady_clock::now();
    static_cast<void>(simulate(schedule, laxity::schedule::machine_named("paper")));
    simulated.push_back(seconds_since(between));
    ops = schedule.total_ops();
  }
  const double make_s = laxity::median(made), simulate_s = laxity::median(simulated);
  std::printf("%-14s %-14s %8u %9zu %8.3f %8.3f %8.1f ", name_of(what.collective).data(), what.algorithm, what.ranks,
              ops, make_s, simulate_s, static_cast<double>(ops) / simulate_s * 1e-6);
  if (what.goal_s > 0) std::printf("%6.1f", what.goal_s);
  std::printf("\n");
}

// The study of the paper's figure 4: three collectives at seven sizes, under all patterns.
void measure_study(std::uint32_t ranks) {
  const auto begin = std::chrono::steady_clock::now();
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const auto machine = laxity::schedule::machine_named("paper");
  std::size_t cells = 0;
  for (const Collective collective : {Collective::reduce, Collective::allreduce, Collective::alltoall}) {
    auto all = laxity::schedule::algorithms(collective);
    std::erase_if(all, [](const auto& algorithm) { return laxity::collective::is_own(algorithm.id); });
    for (const std::uint64_t bytes : {2, 16, 128, 1 << 10, 8 << 10, 64 << 10, 1 << 20}) {
      laxity::schedule::SimulatedBlock block{
          .call = {.collective = collective, .ranks = ranks, .bytes = bytes},
          .algorithms = all,
          .patterns = {laxity::collective::delaying_patterns.begin(), laxity::collective::delaying_patterns.end()},
          .custom_patterns = {}};
      for (const auto& alias :
           aliases(laxity::collective::Library::open_mpi, collective, all, static_cast<int>(ranks), bytes))
        std::erase(block.algorithms, alias.algorithm);
      cells += simulate_arrivals(block, machine, threads).size();
    }
  }
  std::printf("\nfigure 4, %u ranks: %zu cells in %.1f s on %u threads; goal on 1,024 ranks and 2 cores: 60 s\n", ranks,
              cells, seconds_since(begin), threads);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const std::uint32_t scale = smoke ? 16 : 1;
  std::printf("%-14s %-14s %8s %9s %8s %8s %8s %6s\n", "collective", "algorithm", "ranks", "ops", "make s", "sim. s",
              "M ops/s", "goal s");
  for (const Case& what : {Case{Collective::alltoall, "pairwise", 1024 / scale, 8, 0.5},
                           Case{Collective::alltoall, "linear", 1024 / scale, 8, 2},
                           Case{Collective::alltoall, "modified_bruck", 1024 / scale, 8, 0},
                           Case{Collective::reduce, "binomial", 1'000'000 / scale, 8, 1},
                           Case{Collective::allreduce, "ring", 1024 / scale, 1 << 20, 0}})
    measure(what, smoke ? 1 : 5);
  measure_study(1024 / scale);
}
