// Repeats one kind of work and prints the time per repetition and the count: "<ns> <count>".
//
//   counters_with|counters_without <work> <repetitions>      the works are listed in main()
//
// Compiled twice, with and without counters; counters_benchmark.cpp runs the two alternately.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "benchmarks/ring/measure.hpp"
#include "laxity/channel/channel.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "workloads/coloring/coloring.hpp"

namespace {

using namespace laxity;

struct Outcome {
  double ns = 0;            // per repetition
  std::uint64_t count = 0;  // updates or puts counted; 0 without counters
};

// Mode 3 on two threads, each with one half of a torus of side x side nodes. With six colors no conflict survives the
// warm-up, so every update that is timed does the same work. Per update, mean of the workers.
template <class Layer, std::uint32_t side>
Outcome color(std::uint64_t updates) {
  const auto topology = topologies::torus({side, side});
  const auto partition = partitions::blocks(topology, 2);
  const Mesh<Layer> mesh(topology, partition);
  Team team({.threads = 2});
  std::array<Outcome, 2> outcomes;
  team.run([&](Worker& worker) {
    WorkerConnector connector(worker);
    Coloring<Layer> coloring(mesh, connector, {.colors = 6});
    for (std::uint64_t i = 0; i < updates / 4; ++i) coloring.update();
    if (!worker.barrier()) return;
    const SteadyClock clock;
    const std::int64_t begin_ns = clock.now_ns();
    for (std::uint64_t i = 0; i < updates; ++i) {
      coloring.update();
      worker.update_done();
    }
    const auto passed_ns = static_cast<double>(clock.now_ns() - begin_ns);
    outcomes[static_cast<std::size_t>(worker.id())] = {passed_ns / static_cast<double>(updates), worker.updates()};
  });
  return {std::midpoint(outcomes[0].ns, outcomes[1].ns), outcomes[0].count};
}

using Payload64 = bench::Message<64>;

Outcome put_and_pull_on_one_thread(std::uint64_t messages) {
  auto [inlet, outlet] = channel<Payload64>();
  Payload64 message{};
  std::uint32_t total = 0;
  const SteadyClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  for (std::uint64_t i = 0; i < messages; ++i) {
    message.fill(static_cast<std::uint32_t>(i));
    (void)inlet.try_put(message);
    outlet.try_step();
    total += outlet.get().sum();
  }
  const auto passed_ns = static_cast<double>(clock.now_ns() - begin_ns);
  asm volatile("" : : "g"(total));  // the sum keeps the reads
  return {passed_ns / static_cast<double>(messages), inlet.counters().attempted.read()};
}

// As bench::throughput wants its links.
struct ChannelLink {
  struct Producer {
    Inlet<Payload64>& inlet;
    bool send(std::uint32_t value) {
      Payload64 message;
      message.fill(value);
      return inlet.try_put(message);
    }
    void flush() {}
  };
  struct Consumer {
    Outlet<Payload64>& outlet;
    bool receive(std::uint32_t& total) {
      if (outlet.try_step() == 0) return false;
      total += outlet.get().sum();
      return true;
    }
  };
  Producer producer() { return {ends.inlet}; }
  Consumer consumer() { return {ends.outlet}; }
  ~ChannelLink() { puts = ends.inlet.counters().attempted.read(); }

  static inline std::uint64_t puts = 0;  // of the link that ended last
  Channel<Payload64> ends = channel<Payload64>({.send_depth = 64});
};

Outcome put_and_pull_on_two_threads(std::uint64_t messages) {
  const double per_us = bench::throughput<ChannelLink>(messages, bench::Between::threads);
  return {1e3 / per_us, ChannelLink::puts};
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<Outcome(std::uint64_t)>> works{
      {"state_4", color<StateLayer<NodeColor>, 2>},   {"state_4096", color<StateLayer<NodeColor>, 64>},
      {"pooled_4", color<PooledLayer<NodeColor>, 2>}, {"pooled_4096", color<PooledLayer<NodeColor>, 64>},
      {"one_thread", put_and_pull_on_one_thread},     {"two_threads", put_and_pull_on_two_threads}};
  if (argc != 3 || !works.contains(argv[1])) return 2;
  const Outcome outcome = works.at(argv[1])(std::strtoull(argv[2], nullptr, 10));
  std::printf("%.6g %llu\n", outcome.ns, static_cast<unsigned long long>(outcome.count));
}
