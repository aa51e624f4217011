// What does Worker::quality() cost when it is called in every update? See README.md.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/launch/team.hpp"

namespace {

// Time per update, ns, of a worker that only counts its updates, with or without a call of quality().
template <bool Looks>
double ns_per_update(laxity::Worker& worker, std::uint64_t updates) {
  const laxity::SteadyClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  double seen = 0;
  for (std::uint64_t update = 0; update < updates; ++update) {
    worker.update_done();
    if constexpr (Looks) seen += worker.quality().simstep_period_ns;
  }
  asm volatile("" : : "g"(&seen) : "memory");
  return static_cast<double>(clock.now_ns() - begin_ns) / static_cast<double>(updates);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = laxity::bench::read_command_line(argc, argv, 21);
  const std::uint64_t updates = line.smoke ? 10'000 : 20'000'000;
  constexpr int neighbors = 8;
  laxity::Team team({.threads = 1 + neighbors});
  const auto report = team.run([&](laxity::Worker& worker) {
    if (worker.id() != 0) return;  // the neighbors only have links
    for (std::uint32_t other = 1; other <= neighbors; ++other) {
      (void)worker.counter_table().link({0, 0, other, 0}, laxity::NeighborKind::thread, 1);
      (void)worker.counter_table().link({0, other, 0, 0}, laxity::NeighborKind::thread, 1);
    }
    const auto ns = laxity::bench::measure_in_rounds(line.rounds, 2, [&](std::size_t reads) {
      return reads == 1 ? ns_per_update<true>(worker, updates) : ns_per_update<false>(worker, updates);
    });
    std::printf("an update that is only counted: %.2f ns; with a look at %d neighbors: %.2f ns; difference %.2f ns\n",
                laxity::median(ns[0]), neighbors, laxity::median(ns[1]),
                laxity::median(laxity::bench::differences(ns[1], ns[0])));
    std::printf("windows seen: %llu\n", static_cast<unsigned long long>(worker.quality().window));
  });
  std::fputs(report.losses().c_str(), stderr);
  return report.all_finished() ? 0 : 1;
}
