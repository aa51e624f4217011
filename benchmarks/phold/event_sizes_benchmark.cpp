// Events of which size are faster copied, shared between threads, or read out of the sender's memory? See README.md.
//
// usage: event_sizes_benchmark [--rounds N] [--smoke]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/timewarp/run.hpp"

namespace {

using namespace laxity;
using timewarp::LpId;
using timewarp::SentEvents;

/// Continuous PHOLD with events of `bytes`; half of them go to a process of the other worker.
template <std::size_t bytes>
struct Parcels {
  using Time = double;
  struct State {
    std::uint64_t sum = 0;
  };
  struct Event {
    std::array<std::uint64_t, bytes / 8> words;
  };
  using Context = timewarp::Context<Parcels>;

  void init(Context& lp) const {
    for (int i = 0; i < 20; ++i) send(lp, {});
  }
  void handle(Context& lp, const Event& event) const {
    for (const std::uint64_t word : event.words) lp.state().sum += word;
    send(lp, event);
  }

 private:
  static void send(Context& lp, const Event& event) {
    Event next = event;
    ++next.words[lp.state().sum % next.words.size()];
    const double delay = 1 - 10 * std::log(1.0 - lp.random().unit());
    lp.send(lp.random().below(lp.logical_processes()), delay, next);
  }
};

// Two ways of exchanging events, and what they are called.
struct Threads {
  static constexpr const char* names[] = {"copied, M/s", "shared, M/s"};
  template <class M>
  static timewarp::Result<M> run(const timewarp::Simulation<M>& simulation, timewarp::RunOptions options, bool second) {
    options.threads = 2;
    options.worker.events = second ? SentEvents::shared : SentEvents::copied;
    return timewarp::run(simulation, options);
  }
};
struct Processes {
  static constexpr const char* names[] = {"rings, M/s", "attach, M/s"};
  template <class M>
  static timewarp::Result<M> run(const timewarp::Simulation<M>& simulation, timewarp::RunOptions options, bool second) {
    options.processes = 2;
    return second ? timewarp::run_over_attached_memory(simulation, options) : timewarp::run(simulation, options);
  }
};

template <class Two, std::size_t bytes>
void measure(int rounds, double events) {
  constexpr LpId processes = 2'000;
  const double end = events * 11 / (20.0 * processes);
  const timewarp::Simulation<Parcels<bytes>> simulation{{}, {processes, end}};
  std::vector<double> first, second, ratio;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t committed[2] = {0, 0};
    double rates[2] = {0, 0};
    for (int turn = 0; turn < 2; ++turn) {
      const int which = (turn + round) % 2;
      timewarp::RunOptions options;
      options.worker.max_events = 1 << 19;
      const auto result = Two::run(simulation, options, which == 1);
      committed[which] = result.total().committed;
      rates[which] = static_cast<double>(committed[which]) / result.seconds / 1e6;
    }
    if (committed[0] != committed[1]) {
      std::fprintf(stderr, "event_sizes_benchmark: %zu bytes: not the same events\n", bytes);
      std::exit(1);
    }
    first.push_back(rates[0]);
    second.push_back(rates[1]);
    ratio.push_back(rates[1] / rates[0]);
  }
  std::ranges::sort(ratio);
  std::printf("%8zu %12.2f %12.2f %10.2f   %.2f to %.2f\n", bytes, median(first), median(second), median(ratio),
              ratio.front(), ratio.back());
  std::fflush(stdout);
}

template <class Two>
void measure_all(int rounds, double length) {
  std::printf("%8s %12s %12s %10s   %s\n", "bytes", Two::names[0], Two::names[1], "ratio", "least to most");
  measure<Two, 40>(rounds, length * 3e6);
  measure<Two, 256>(rounds, length * 2e6);
  measure<Two, 1024>(rounds, length * 1e6);
  measure<Two, 4096>(rounds, length * 3e5);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = bench::read_command_line(argc, argv, 5);
  const double length = line.smoke ? 0.02 : 1;
  measure_all<Threads>(line.rounds, length);
  measure_all<Processes>(line.rounds, length);
}
