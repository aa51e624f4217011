// PHOLD: the engines beside bare loops, two workers beside one. See README.md.
//
// usage: phold_benchmark [--rounds N] [--smoke]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bare_loop.hpp"
#include "benchmarks/rounds.hpp"
#include "workloads/phold/phold_run.hpp"

namespace {

using namespace laxity;

struct Effort {
  int rounds = 5;
  double length = 1;  // of every run, relative
};

struct Size {
  const char* name;
  timewarp::LpId logical_processes;
  int events_per_lp;
  phold::Shape shape;
  double events;  // that a run has, about
};

constexpr Size sizes[] = {{"continuous, 10,000 x 20", 10'000, 20, phold::Shape::continuous, 3e6},
                          {"batch, 10,000 x 20", 10'000, 20, phold::Shape::batch, 4e6},
                          {"continuous, 1,000 x 1", 1'000, 1, phold::Shape::continuous, 2e6}};

phold::Run sequential_run(const Size& size, const Effort& effort) {
  phold::Run run;
  run.shape = size.shape;
  run.engine.sequential = true;
  run.model.logical_processes = size.logical_processes;
  run.model.events_per_lp = size.events_per_lp;
  run.model.mean_delay = size.shape == phold::Shape::batch ? 0.2 : 10;
  const double between = run.model.min_delay + (size.shape == phold::Shape::batch ? 0.01 : run.model.mean_delay);
  run.end_time = effort.length * size.events * between / size.logical_processes / size.events_per_lp;
  return run;
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "phold_benchmark: %s\n", what);
  std::exit(1);
}

phold::Outcome outcome_of(const phold::Run& run) {
  phold::Outcome outcome = run_phold(run);
  if (outcome.end != phold::End::done)
    fail(outcome.end == phold::End::failed ? outcome.failure.c_str() : "interrupted");
  return outcome;
}

double ns_per_event(const phold::Outcome& outcome) { return 1e9 / outcome.committed_per_second(); }

double ns_per_event(const BareResult& result) { return 1e9 * result.seconds / static_cast<double>(result.events); }

BareModel bare(const phold::Run& run) {
  return {.logical_processes = run.model.logical_processes,
          .events_per_lp = run.model.events_per_lp,
          .mean_delay = run.model.mean_delay,
          .min_delay = run.model.min_delay,
          .batch = run.shape == phold::Shape::batch,
          .end_time = run.end_time,
          .seed = run.seed};
}

// The peak of this process so far, from the system; run first, while little else has been allocated.
void print_memory(const Effort& effort) {
  static_cast<void>(run_phold(sequential_run(sizes[0], effort)));
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:"))
      std::printf("resident memory of a sequential run, 200,000 pending: %.1f MB\n\n",
                  std::atof(line.c_str() + std::strlen("VmHWM:")) / 1000);
  }
}

void print_sequential(const Effort& effort) {
  std::printf("%-24s %10s %10s %10s %14s %12s\n", "sequential, ns an event", "bare loop", "engine", "std heap",
              "engine / bare", "heap / bare");
  for (const Size& size : sizes) {
    const phold::Run run = sequential_run(size, effort);
    std::vector<double> floor, engine, heap, engine_ratio, heap_ratio;
    for (int round = 0; round < effort.rounds; ++round) {
      const BareResult loop = bare_bucket_loop(bare(run));
      floor.push_back(ns_per_event(loop));
      const phold::Outcome outcome = outcome_of(run);
      engine.push_back(ns_per_event(outcome));
      heap.push_back(ns_per_event(bare_heap_loop(bare(run))));
      const auto handled = static_cast<double>(outcome.handled), bare_handled = static_cast<double>(loop.events);
      if (std::abs(handled / bare_handled - 1) > 0.01) fail("the bare loop does not do the same work");
      engine_ratio.push_back(engine.back() / floor.back());
      heap_ratio.push_back(heap.back() / floor.back());
    }
    std::printf("%-24s %10.1f %10.1f %10.1f %14.2f %12.2f\n", size.name, median(floor), median(engine), median(heap),
                median(engine_ratio), median(heap_ratio));
    std::fflush(stdout);
  }
}

struct Speeds {
  std::vector<double> sequential, threads, processes, threads_up, processes_up, efficiency, unaided;
};

double rate_of(phold::Run run, int threads, int processes, bool lookahead, double& efficiency) {
  run.engine.sequential = false;
  run.engine.options.worker.lookahead = lookahead;
  run.engine.options.threads = threads;
  run.engine.options.processes = processes;
  const phold::Outcome outcome = outcome_of(run);
  efficiency = outcome.total().efficiency();
  return outcome.committed_per_second() * 1e-6;
}

// What this machine gives two threads that share nothing: bare loops of half the processes each, beside one of all.
void print_machine(const Effort& effort) {
  const BareModel whole = bare(sequential_run(sizes[0], effort));
  BareModel half = whole;
  half.logical_processes /= 2;
  std::vector<double> ratios;
  for (int round = 0; round < effort.rounds; ++round) {
    const double alone = ns_per_event(bare_bucket_loop(whole));
    BareResult first{}, second{};
    {
      const std::jthread other([&] { second = bare_bucket_loop(half); });
      first = bare_bucket_loop(half);
    }
    ratios.push_back(alone / ns_per_event(first) + alone / ns_per_event(second));
  }
  std::printf("\ntwo bare loops at once, each with half of the processes: %.2f times one with all\n", median(ratios));
}

void print_two_workers(const Effort& effort) {
  std::printf("\n%-24s %10s %10s %10s %10s %10s %10s %12s\n", "two workers, M events/s", "sequential", "2 threads",
              "speed-up", "efficiency", "2 procs", "speed-up", "no lookahead");
  for (const Size& size : {sizes[0], sizes[1]}) {
    for (const double remote : {0.1, 0.5, 0.9}) {
      phold::Run run = sequential_run(size, effort);
      run.model.receivers = phold::Receivers::remote;
      run.model.remote = remote;
      Speeds found;
      for (int round = 0; round < effort.rounds; ++round) {
        double efficiency = 0, unused = 0;
        found.sequential.push_back(1e3 / ns_per_event(outcome_of(run)));
        found.threads.push_back(rate_of(run, 2, 0, true, efficiency));
        found.efficiency.push_back(100 * efficiency);
        found.unaided.push_back(rate_of(run, 2, 0, false, unused));
        found.processes.push_back(rate_of(run, 1, 2, true, unused));
        found.threads_up.push_back(found.threads.back() / found.sequential.back());
        found.processes_up.push_back(found.processes.back() / found.sequential.back());
      }
      const std::string name = std::string(size.shape == phold::Shape::batch ? "batch" : "continuous") + ", remote " +
                               std::to_string(remote).substr(0, 3);
      std::printf("%-24s %10.2f %10.2f %10.2f %8.1f %% %10.2f %10.2f %12.2f\n", name.c_str(), median(found.sequential),
                  median(found.threads), median(found.threads_up), median(found.efficiency), median(found.processes),
                  median(found.processes_up), median(found.unaided));
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = bench::read_command_line(argc, argv, Effort{}.rounds);
  const Effort effort{line.rounds, line.smoke ? 0.1 : 1};
  print_memory(effort);
  print_sequential(effort);
  print_machine(effort);
  print_two_workers(effort);
}
