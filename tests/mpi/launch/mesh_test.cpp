// A mesh over ranks: every frame is accounted for, in shared memory and over MPI.
#include "laxity/mesh/mesh.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "laxity/clock/clock.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "workloads/coloring/worker_fault.hpp"

namespace laxity {
namespace {

constexpr std::size_t max_workers = 16;

// The traffic from one worker to another; each end is written by its worker.
struct Traffic {
  std::uint64_t accepted = 0, received = 0, superseded = 0;
};
using Account = std::array<std::array<Traffic, max_workers>, max_workers>;

struct Shape {
  const char* name;
  int ranks_per_host;
  bool one_thread_sends;
};

class MeshOverRanks : public testing::TestWithParam<Shape> {
 protected:
  [[nodiscard]] TeamOptions options(int threads) const {
    return {.threads = threads,
            .ranks = ranks_.get(),
            .arena_bytes = 1 << 20,
            .max_blocks = 1024,
            .max_links = 1024,
            .tick = std::chrono::milliseconds(2)};
  }

  /// 300 updates of a torus, then all frames in flight are received.
  template <class Layer>
  void account_for_every_frame(int threads, Overflow overflow) {
    Team team(options(threads));
    account_for_every_frame<Layer>(team, overflow, [](const Worker& worker) { return worker.updates() < 300; }, {});
  }

  /// As above, for as long as goes_on() is true.
  template <class Layer, class GoesOn>
  void account_for_every_frame(Team& team, Overflow overflow, GoesOn&& goes_on,
                               const std::function<void()>& supervise) {
    const auto workers = static_cast<std::uint32_t>(team.size());
    const Topology topology = topologies::torus({4, 4 * workers});
    const Partition partition = partitions::blocks(topology, workers);
    const Mesh<Layer> mesh(topology, partition, {LayerOptions{.send_depth = 4, .overflow = overflow}});
    Account& account = team.arena().object<Account>({"account"});

    const TeamReport report = team.run(
        [&](Worker& worker) {
          WorkerConnector connector(worker);
          auto part = mesh.part(connector);
          ASSERT_TRUE(worker.barrier());
          while (goes_on(worker)) {
            part.pull();
            for (auto node : part.nodes()) node.put(static_cast<int>(worker.updates()));
            part.flush();
            worker.update_done();
          }
          ASSERT_TRUE(worker.barrier());
          for (int turn = 0; turn < 50; ++turn)
            part.pull();  // a plain layer receives a bounded number of frames in each pull
          const auto me = static_cast<std::uint32_t>(worker.id());
          worker.counter_table().for_each_link([&](const LinkKey& key, LinkRow& row) {
            if (key.from_worker == key.to_worker) return;
            Traffic& traffic = account[key.from_worker][key.to_worker];
            if (key.from_worker == me) traffic.accepted += row.inlet.attempted.read() - row.inlet.refused.read();
            if (key.to_worker == me) traffic.received += row.outlet.received();
            if (key.to_worker == me) traffic.superseded += row.outlet.superseded.read();
          });
        },
        supervise);
    EXPECT_TRUE(report.all_finished()) << report.losses();
    team.allreduce_or(std::as_writable_bytes(std::span(&account, 1)));
    std::uint64_t links = 0, received = 0;
    for (const auto& from : account) {
      for (const Traffic& traffic : from) {
        EXPECT_EQ(traffic.accepted, traffic.received + traffic.superseded);
        links += traffic.accepted != 0;
        received += traffic.received;
      }
    }
    EXPECT_EQ(links > 0, workers > 1);
    EXPECT_EQ(received > 0, workers > 1);
  }

 protected:
  std::unique_ptr<Ranks> ranks_ = join_ranks(
      {.threads = 2, .ranks_per_host = GetParam().ranks_per_host, .one_thread_sends = GetParam().one_thread_sends});
};
INSTANTIATE_TEST_SUITE_P(Mesh, MeshOverRanks,
                         testing::Values(Shape{"SharedMemory", 0, false}, Shape{"MessagesOnly", 1, false},
                                         Shape{"TwoRanksAHost", 2, false}, Shape{"OneThreadSends", 1, true},
                                         Shape{"OneThreadOfTwoRanksAHostSends", 2, true}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(MeshOverRanks, EveryFrameThatWasAcceptedIsReceived) {
  for (const int threads : {1, 2}) account_for_every_frame<StateLayer<int>>(threads, Overflow::drop_newest);
}

TEST_P(MeshOverRanks, EveryMessageOfAChannelPerEdgeIsReceived) {
  account_for_every_frame<PlainLayer<int>>(2, Overflow::drop_newest);
}

// True for a process of this host that is stopped by a signal.
bool stands_still(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end + 1).starts_with(" T");
}

TEST_P(MeshOverRanks, WhileAHostStandsStillTheOthersGoOnAndEveryFrameIsAccountedFor) {
  if (ranks_ == nullptr || ranks_->map().hosts() < 2) GTEST_SKIP() << "needs two hosts";
  constexpr std::int64_t frozen_ns = 2'000'000'000, duration_ns = 2'600'000'000;
  Team team(options(1));
  const int frozen = team.size() - 1;
  const pid_t frozen_pid = ranks_->allgather_values(::getpid()).back();
  FrozenHost host({WorkerFault::Kind::freeze, frozen, frozen_ns}, team, duration_ns);
  const SteadyClock clock;
  std::int64_t begin_ns = 0;
  std::uint64_t first_seen = 0, last_seen = 0;  // updates of this host's first worker while the other host is stopped
  const auto updates_here = [&] { return team.counter_table().worker(ranks_->map().rank).updates.read(); };
  const auto supervise = [&] {
    if (begin_ns == 0 && !team.all_are_updating()) return;
    if (begin_ns == 0) begin_ns = clock.now_ns();
    host.tick(clock.now_ns() - begin_ns);
    if (stands_still(frozen_pid)) {
      last_seen = updates_here();
      if (first_seen == 0) first_seen = last_seen;
    }
    if (clock.now_ns() - begin_ns >= duration_ns) team.request_stop();
  };
  account_for_every_frame<StateLayer<int>>(
      team, Overflow::drop_newest, [](const Worker& worker) { return !worker.stop_requested(); }, supervise);
  const RankMap& map = ranks_->map();
  if (!map.leads_host() || map.host() == map.host_of_rank.back()) return;
  EXPECT_GT(first_seen, 0U);
  EXPECT_GT(last_seen, first_seen);
}

TEST_P(MeshOverRanks, WhatIsOverwrittenIsCounted) {
  for (const int threads : {1, 2}) account_for_every_frame<StateLayer<int>>(threads, Overflow::drop_oldest);
}

}  // namespace
}  // namespace laxity
