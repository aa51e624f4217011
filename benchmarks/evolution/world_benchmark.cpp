// How fast a world of cells is with the preset `benchmark`: updates per second of one worker from the beginning, what a team of two
// keeps of the rate of one worker with and without barriers, memory of a cell with the longest program, and allocations per update.
#include <malloc.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/mesh/replay.hpp"
#include "workloads/evolution/run/evolution_run.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace laxity::evolution;
using laxity::PacingMode;

// Updates per second and worker.
double rate(int threads, PacingMode mode, const Parameters& parameters, double seconds) {
  const auto workers = static_cast<std::uint32_t>(threads);
  const laxity::Topology topology = world_topology(parameters, workers);
  const laxity::Partition partition = laxity::partitions::blocks(topology, workers);
  EvolutionRun run{.topology = topology, .partition = partition, .team = {}, .pacing = {}, .parameters = parameters};
  run.team.threads = threads;
  run.pacing.mode = mode;
  run.duration_ns = static_cast<std::int64_t>(seconds * 1e9);
  return run_evolution(run).updates_per_second_per_worker();
}

// One worker in this thread.
struct Alone {
  explicit Alone(const Parameters& parameters)
      : topology(world_topology(parameters, 1)),
        partition(laxity::partitions::blocks(topology, 1)),
        mesh(topology, partition, layer_options(parameters)),
        links({.workers = 1}),
        world(mesh, links.connector(0), parameters, 1) {}

  laxity::Topology topology;
  laxity::Partition partition;
  EvolutionMesh mesh;
  laxity::ReplayedRun links;
  World world;
};

void print_rates_over_time(const Parameters& parameters, int updates) {
  Alone alone(parameters);
  std::printf("%12s %14s %22s %10s\n", "updates", "updates/s", "M instructions/s", "living");
  for (int part = 0; part < 4; ++part) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t before = alone.world.tallies().instructions;
    for (int i = 0; i < updates; ++i) alone.world.update();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%5d - %4d %14.1f %22.1f %10lu\n", part * updates, (part + 1) * updates, updates / seconds,
                static_cast<double>(alone.world.tallies().instructions - before) / seconds / 1e6,
                static_cast<unsigned long>(alone.world.census().living));
  }
}

// Every cell has a program of the longest length, of its own.
void print_memory(Parameters parameters) {
  parameters.program_length = static_cast<std::uint32_t>(parameters.mutation.max_length);
  parameters.cells_per_worker = 400;
  const std::size_t before = mallinfo2().uordblks;
  const Alone alone(parameters);
  const double bytes = static_cast<double>(mallinfo2().uordblks - before);
  std::printf("memory of a cell with a program of %u instructions: %.1f KiB\n", parameters.program_length,
              bytes / 1024 / static_cast<double>(alone.world.cells().size()));
}

void print_allocations(const Parameters& parameters, int updates) {
  Alone alone(parameters);
  for (int i = 0; i < updates; ++i) alone.world.update();
  std::uint64_t with_births = 0, without = 0;
  for (int i = 0; i < updates; ++i) {
    const bool births = alone.world.age() % parameters.periods.birth == 0;
    const std::uint64_t before = allocations.load(std::memory_order_relaxed);
    alone.world.update();
    (births ? with_births : without) += allocations.load(std::memory_order_relaxed) - before;
  }
  std::printf("allocations in %d updates after as many: %lu in updates with births, %lu in others\n", updates,
              static_cast<unsigned long>(with_births), static_cast<unsigned long>(without));
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = laxity::bench::read_command_line(argc, argv, 3);
  Parameters parameters = parameters_of_preset("benchmark");
  if (line.smoke) parameters.cells_per_worker = 100;
  print_rates_over_time(parameters, line.smoke ? 16 : 250);
  print_memory(parameters);
  print_allocations(parameters, line.smoke ? 32 : 512);
  const double seconds = line.smoke ? 0.05 : 4;
  const std::array<const char*, 3> names{"one worker", "two workers, mode 0", "two workers, mode 3"};
  const auto figures = laxity::bench::measure_in_rounds(line.rounds, names.size(), [&](std::size_t candidate) {
    return rate(candidate == 0 ? 1 : 2, candidate == 1 ? PacingMode::every_update : PacingMode::none, parameters,
                seconds);
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("%-20s %8.1f updates/s per worker, %5.2f of one worker\n", names[i], laxity::median(figures[i]),
                laxity::median(laxity::bench::ratios(figures[i], figures[0])));
  }
  std::printf("mode 3 over mode 0: %.2f\n", laxity::median(laxity::bench::ratios(figures[2], figures[1])));
}
