// Events between two threads, copied or shared: which is faster for events of which size? See README.md.
//
// usage: shared_events_benchmark [--rounds N] [--smoke]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

template <std::size_t bytes>
void measure(int rounds, double events) {
  constexpr LpId processes = 2'000;
  const double end = events * 11 / (20.0 * processes);
  const timewarp::Simulation<Parcels<bytes>> simulation{{}, {processes, end}};
  std::vector<double> copied, shared, ratio;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t committed[2] = {0, 0};
    double rates[2] = {0, 0};
    for (int turn = 0; turn < 2; ++turn) {
      const int which = (turn + round) % 2;
      timewarp::RunOptions options;
      options.threads = 2;
      options.worker.events = which == 1 ? SentEvents::shared : SentEvents::copied;
      options.worker.max_events = 1 << 19;
      const auto result = timewarp::run(simulation, options);
      committed[which] = result.total().committed;
      rates[which] = static_cast<double>(committed[which]) / result.seconds / 1e6;
    }
    if (committed[0] != committed[1]) {
      std::fprintf(stderr, "shared_events_benchmark: %zu bytes: not the same events\n", bytes);
      std::exit(1);
    }
    copied.push_back(rates[0]);
    shared.push_back(rates[1]);
    ratio.push_back(rates[1] / rates[0]);
  }
  std::ranges::sort(ratio);
  std::printf("%8zu %12.2f %12.2f %10.2f   %.2f to %.2f\n", bytes, median(copied), median(shared), median(ratio),
              ratio.front(), ratio.back());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 5;
  double length = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--smoke") == 0) {
      rounds = 1;
      length = 0.02;
    } else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      rounds = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: shared_events_benchmark [--rounds N] [--smoke]\n");
      return 2;
    }
  }
  std::printf("%8s %12s %12s %10s   %s\n", "bytes", "copied, M/s", "shared, M/s", "ratio", "least to most");
  measure<40>(rounds, length * 3e6);
  measure<256>(rounds, length * 2e6);
  measure<1024>(rounds, length * 1e6);
  measure<4096>(rounds, length * 3e5);
}
