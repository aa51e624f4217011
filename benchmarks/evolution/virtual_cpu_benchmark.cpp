// How many instructions per second the virtual CPU executes on one core of the machine: random programs of 100 instructions
// under the prevalence table, and programs of nops. CPUs take turns of 16 slices of 8 instructions, as those of the cells of a
// world do; many of them do not fit into the near caches. Before each turn a CPU with a random program gets four of 26 tags
// to start cores with, as the events of a cell do, and all regulators decay every 16 turns.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/random.hpp"
#include "workloads/evolution/cpu/virtual_cpu.hpp"

namespace {

using namespace laxity::evolution;
using laxity::SeededRandom;

Program random_program(std::size_t length, SeededRandom& random) {
  Program program(length);
  for (Instruction& instruction : program) {
    instruction.byte = static_cast<std::uint8_t>(random.bits());
    for (std::uint8_t& argument : instruction.arguments) argument = static_cast<std::uint8_t>(random.bits());
    for (std::uint32_t& half : instruction.tag_halves) half = static_cast<std::uint32_t>(random.bits());
  }
  return program;
}

std::vector<VirtualCpu> cpus_with(std::size_t count, auto make_program) {
  std::vector<VirtualCpu> cpus(count);
  for (VirtualCpu& cpu : cpus) cpu.load(std::make_shared<const LoadedProgram>(make_program()));
  return cpus;
}

// Instructions per second, in millions. prepare(cpu) starts cores.
template <class Prepare>
double rate(std::vector<VirtualCpu>& cpus, double seconds, SeededRandom& random, Prepare prepare) {
  using Clock = std::chrono::steady_clock;
  NoPeripheral alone;
  std::uint64_t executed = 0;
  int updates = 0;
  const auto start = Clock::now();
  double elapsed = 0;
  do {
    for (VirtualCpu& cpu : cpus) {
      prepare(cpu);
      executed += cpu.run(16, alone, random);
    }
    if (++updates % 16 == 0) {
      for (VirtualCpu& cpu : cpus) cpu.decay_regulators();
    }
    if (updates % 64 == 0) elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < seconds);
  return static_cast<double>(executed) / elapsed / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = laxity::bench::read_command_line(argc, argv, 5);
  const double seconds = line.smoke ? 0.01 : 0.3;
  constexpr std::array<std::size_t, 3> cpu_counts{1, 32, 1024};
  constexpr std::size_t event_count = 26;
  SeededRandom random(1);
  std::printf("%-14s %28s %28s\n", "virtual CPUs", "random programs, M instr./s", "nops, M instr./s");
  for (const std::size_t count : cpu_counts) {
    std::vector<VirtualCpu> programs = cpus_with(count, [&] { return random_program(100, random); });
    std::vector<VirtualCpu> nops = cpus_with(count, [] { return Program(100, Instruction::of(Opcode::nop_a)); });
    for (VirtualCpu& cpu : nops) {
      while (cpu.launch_at(0)) continue;
    }
    std::vector<Tag> events(event_count);
    for (Tag& event : events) event = random.bits();
    const auto start_events = [&](VirtualCpu& cpu) {
      for (int i = 0; i < 4; ++i) cpu.launch(events[random.below(event_count)], JumpTable::internal);
    };
    const auto figures = laxity::bench::measure_in_rounds(line.rounds, 2, [&](std::size_t candidate) {
      return candidate == 0 ? rate(programs, seconds, random, start_events)
                            : rate(nops, seconds, random, [](VirtualCpu&) {});
    });
    std::printf("%-14zu %28.0f %28.0f\n", count, laxity::median(figures[0]), laxity::median(figures[1]));
  }
}
