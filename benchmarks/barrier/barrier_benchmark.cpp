// The cost of a barrier after every update: laxity::Barrier, std::barrier and pthread_barrier, and the cost of counting an
// update. See README.md.
#include <pthread.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/launch/team.hpp"

namespace {

using laxity::PacingMode;
using laxity::Team;
using laxity::Worker;

constexpr int workers = 2;

struct Sizes {
  std::uint64_t updates = 20'000;
  int rounds = 5;
};

// Busy for about `steps` dependent multiplications, about 1 ns each.
std::uint64_t compute(std::uint64_t state, int steps) {
  for (int step = 0; step < steps; ++step) state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state;
}

// Steps that take about 2.2 µs: an update of 2048 nodes of graph coloring.
int steps_of_an_update() {
  constexpr int probe = 10'000'000;
  const auto start = std::chrono::steady_clock::now();
  volatile std::uint64_t keep = compute(1, probe);
  (void)keep;
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return static_cast<int>(2200.0 * probe / spent.count());
}

// The work between two updates; made in the worker, before the measurement starts.
using Wait = std::function<void()>;
using MakeWait = std::function<Wait(Team&, Worker&)>;

// ns per update of the slower worker of a new team.
double ns_per_update(bool processes, std::uint64_t updates, int steps, const MakeWait& make_wait) {
  Team team({.threads = processes ? 1 : workers,
             .processes = processes ? workers : 0,
             .arena_bytes = 1 << 16,
             .max_blocks = 16,
             .max_links = 16});
  const auto result_of = [&](int worker) -> double& {
    return team.arena().object<double>({"ns", static_cast<std::uint32_t>(worker)});
  };
  const auto report = team.run([&](Worker& worker) {
    const Wait wait = make_wait(team, worker);
    std::uint64_t state = static_cast<std::uint64_t>(worker.id());
    if (!worker.barrier()) return;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t update = 0; update < updates; ++update) {
      state = compute(state, steps);
      wait();
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    volatile std::uint64_t keep = state;
    (void)keep;
    result_of(worker.id()) = spent.count() / static_cast<double>(updates);
  });
  if (!report.all_finished()) throw laxity::Error(report.losses());
  return std::max(result_of(0), result_of(1));
}

Wait nothing(Team&, Worker&) {
  return [] {};
}

Wait counting(Team&, Worker& worker) {
  return [&worker] { worker.update_done(); };
}

MakeWait paced(PacingMode mode) {
  return [mode](Team&, Worker& worker) {
    auto pacer = std::make_shared<laxity::Pacer<>>(laxity::PacingOptions{.mode = mode}, worker.pacing_barrier());
    return [pacer] { (void)pacer->after_update(); };
  };
}

Wait pthread_barrier_wait_in_arena(Team& team, Worker&) {
  std::byte* const memory = team.arena().find_or_create({"pthread"}, sizeof(pthread_barrier_t), [](std::byte* fresh) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(reinterpret_cast<pthread_barrier_t*>(fresh), &attributes, workers);
  });
  return [memory] { pthread_barrier_wait(reinterpret_cast<pthread_barrier_t*>(memory)); };
}

// libstdc++'s barrier keeps pointers, so it serves the threads of one process only.
MakeWait std_barrier() {
  auto barrier = std::make_shared<std::barrier<>>(workers);
  return [barrier](Team&, Worker&) { return [barrier] { barrier->arrive_and_wait(); }; };
}

struct Candidate {
  const char* name;
  std::function<MakeWait()> make;
  bool between_processes;
};

const std::vector<Candidate> candidates{
    {"none (mode 4)", [] { return MakeWait(nothing); }, true},
    {"laxity, mode 0", [] { return paced(PacingMode::every_update); }, true},
    {"laxity, mode 1", [] { return paced(PacingMode::rolling); }, true},
    {"laxity, mode 2", [] { return paced(PacingMode::fixed); }, true},
    {"pthread_barrier", [] { return MakeWait(pthread_barrier_wait_in_arena); }, true},
    {"std::barrier", [] { return std_barrier(); }, false},
    {"counting only", [] { return MakeWait(counting); }, true},
};

void compare(const Sizes& sizes, bool processes, int steps) {
  std::vector<Candidate> usable;
  for (const Candidate& each : candidates)
    if (!processes || each.between_processes) usable.push_back(each);
  const auto ns = laxity::bench::measure_in_rounds(sizes.rounds, usable.size(), [&](std::size_t at) {
    return ns_per_update(processes, sizes.updates, steps, usable[at].make());
  });
  std::printf("\n2 %s, %s\n%-18s%14s%20s\n", processes ? "processes" : "threads",
              steps == 0 ? "no work between barriers" : "updates of 2.2 us", "", "ns per update", "rate / mode 4");
  for (std::size_t at = 0; at < usable.size(); ++at)
    std::printf("%-18s%14.1f%20.3f\n", usable[at].name, laxity::median(ns[at]),
                laxity::median(laxity::bench::ratios(ns[0], ns[at])));
}

}  // namespace

int main(int argc, char** argv) try {
  const auto line = laxity::bench::read_command_line(argc, argv, Sizes{}.rounds);
  const Sizes sizes{line.smoke ? 200 : Sizes{}.updates, line.rounds};
  const int steps = steps_of_an_update();
  for (const bool processes : {false, true})
    for (const int work : {steps, 0}) compare(sizes, processes, work);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "barrier_benchmark: %s\n", error.what());
  return 1;
}
