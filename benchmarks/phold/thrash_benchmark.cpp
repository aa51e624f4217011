// Models made to be rolled back: how much of the sequential rate is left on two threads? See README.md.
//
// usage: thrash_benchmark [--rounds N] [--smoke]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace {

using namespace laxity;
using timewarp::LpId;

struct Options {
  const char* name;
  LpId logical_processes;
  int tokens;          // that each starts with
  bool always_across;  // every event goes to the opposite process, which the other worker has
  LpId range;          // else receivers lie less than half of it away
  int slow_work;       // draws that an event of the upper half of the processes costs; the other half's cost one
  double min_delay;
  double events;  // that a run has, about
};

constexpr Options models[] = {
    {"ping-pong, 1 pair, 1 token, no lookahead", 2, 1, true, 0, 0, 0, 1e6},
    {"ping-pong, 500 pairs, no lookahead", 1'000, 2, true, 0, 0, 0, 2e6},
    {"range 10, no lookahead, 10,000 x 20", 10'000, 20, false, 10, 0, 0, 3e6},
    {"range 10, half of it 50 times as slow", 10'000, 20, false, 10, 250, 0, 1e6},
    {"uniform, half of it 50 times as slow", 1'000, 5, false, 2'000, 250, 0, 1e6},
};

class Thrash {
 public:
  using Time = double;
  struct State {
    std::uint64_t sum = 0;
  };
  struct Event {
    std::uint64_t value;
  };
  using Context = timewarp::Context<Thrash>;

  explicit Thrash(const Options& options) : options_(options) {}

  void init(Context& lp) const {
    for (int i = 0; i < options_.tokens; ++i) lp.send(lp.self(), delay(lp), {lp.self()});
  }
  void handle(Context& lp, const Event& event) const {
    std::uint64_t sum = event.value;
    const int work = lp.self() >= options_.logical_processes / 2 ? options_.slow_work : 0;
    for (int i = 0; i < work; ++i) sum = sum * 0x9e3779b97f4a7c15U + (sum >> 29);
    lp.state().sum += sum;
    lp.send(receiver(lp), delay(lp), {event.value + 1});
  }

 private:
  [[nodiscard]] double delay(Context& lp) const {
    return options_.min_delay - std::log(1.0 - lp.random().unit()) + 1e-300;
  }
  [[nodiscard]] LpId receiver(Context& lp) const {
    const LpId all = options_.logical_processes;
    if (options_.always_across) return (lp.self() + all / 2) % all;
    const LpId width = std::min(options_.range - 1, all);
    return (lp.self() + all + lp.random().below(width) - width / 2) % all;
  }

  Options options_;
};

void measure(const Options& model, int rounds, double length) {
  const double end = length * model.events / model.logical_processes / model.tokens;
  const timewarp::Simulation<Thrash> simulation{Thrash(model), {model.logical_processes, end}};
  std::vector<double> alone, together, share, efficiency;
  for (int round = 0; round < rounds; ++round) {
    const auto sequential = timewarp::run_sequential(simulation);
    const auto optimistic = timewarp::run(simulation, {.threads = 2});
    const auto rate = [](const auto& result) {
      return static_cast<double>(result.total().committed) / result.seconds / 1e6;
    };
    if (sequential.total().committed != optimistic.total().committed) {
      std::fprintf(stderr, "thrash_benchmark: %s: not the same events\n", model.name);
      std::exit(1);
    }
    alone.push_back(rate(sequential));
    together.push_back(rate(optimistic));
    share.push_back(together.back() / alone.back());
    efficiency.push_back(100 * optimistic.total().efficiency());
  }
  std::printf("%-42s %10.2f %10.2f %10.2f %8.1f %%\n", model.name, median(alone), median(together), median(share),
              median(efficiency));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = bench::read_command_line(argc, argv, 3);
  const double length = line.smoke ? 0.01 : 1;
  std::printf("%-42s %10s %10s %10s %10s\n", "M committed events/s", "sequential", "2 threads", "ratio", "efficiency");
  for (const Options& model : models) measure(model, line.rounds, length);
}
