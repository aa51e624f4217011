// What does it cost a worker to look at its own quality of service in every update? See README.md.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/launch/team.hpp"

namespace {

// ns per update of a worker that does nothing but count it, and looks at its quality if asked to.
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

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const std::uint64_t updates = smoke ? 10'000 : 20'000'000;
  const int rounds = smoke ? 3 : 21;
  constexpr int neighbors = 8;
  laxity::Team team({.threads = 1 + neighbors});
  const auto report = team.run([&](laxity::Worker& worker) {
    if (worker.id() != 0) return;  // the neighbors only have links
    for (std::uint32_t other = 1; other <= neighbors; ++other) {
      (void)worker.counter_table().link({0, 0, other, 0}, laxity::NeighborKind::thread, 1);
      (void)worker.counter_table().link({0, other, 0, 0}, laxity::NeighborKind::thread, 1);
    }
    std::vector<double> without, looking;
    for (int round = 0; round < rounds; ++round) {
      without.push_back(ns_per_update<false>(worker, updates));
      looking.push_back(ns_per_update<true>(worker, updates));
    }
    std::printf("an update that is only counted: %.2f ns; with a look at %d neighbors: %.2f ns; difference %.2f ns\n",
                median(without), neighbors, median(looking), median(looking) - median(without));
    std::printf("windows seen: %llu\n", static_cast<unsigned long long>(worker.quality().window));
  });
  std::fputs(report.losses().c_str(), stderr);
  return report.all_finished() ? 0 : 1;
}
