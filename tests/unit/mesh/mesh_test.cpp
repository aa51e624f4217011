// A mesh in one thread: what nodes hear, when, and what is counted. Layers of all kinds over replayed links.
#include "laxity/mesh/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>

#include "laxity/mesh/layers/accumulating_layer.hpp"
#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "tests/property/largest_allocation.hpp"

namespace laxity {
namespace {

// All parts of a mesh, in one thread.
template <class... Layers>
class Everyone {
 public:
  Everyone(const Topology& topology, const Partition& partition,
           std::array<LayerOptions, sizeof...(Layers)> options = {})
      : mesh_(topology, partition, options), run_({.workers = partition.workers()}) {
    for (std::uint32_t worker = 0; worker < partition.workers(); ++worker)
      parts_.push_back(std::make_unique<MeshPart<Layers...>>(mesh_.part(run_.connector(worker))));
  }
  MeshPart<Layers...>& part(std::uint32_t worker) { return *parts_[worker]; }
  ReplayedRun& run() { return run_; }
  void each_part(auto&& act) {
    for (auto& part : parts_) act(*part);
  }

 private:
  Mesh<Layers...> mesh_;
  ReplayedRun run_;
  std::vector<std::unique_ptr<MeshPart<Layers...>>> parts_;
};

using StatePart = MeshPart<StateLayer<int>>;
using Nodes = decltype(std::declval<StatePart>().nodes());
using Inputs = decltype((*std::declval<Nodes>().begin()).inputs());
using EdgeNodes = decltype(std::declval<MeshPart<PooledLayer<int>>>().nodes());
using EdgeInputs = decltype((*std::declval<EdgeNodes>().begin()).inputs());
static_assert(std::ranges::input_range<Nodes> && std::ranges::sized_range<Nodes>);
static_assert(std::ranges::input_range<Inputs> && std::ranges::sized_range<Inputs>);
static_assert(std::ranges::input_range<EdgeNodes> && std::ranges::input_range<EdgeInputs>);

std::vector<Topology> sample_topologies() {
  std::vector<Topology> samples;
  samples.push_back(topologies::torus({6, 8}));
  samples.push_back(topologies::ring(12));
  samples.push_back(topologies::complete(7));
  samples.push_back(topologies::watts_strogatz(40, 4, 0.3, 1));
  samples.push_back(topologies::navigable_small_world(6, 2, 2, 3));
  return samples;
}

std::vector<Partition> sample_partitions(const Topology& topology) {
  std::vector<Partition> samples;
  for (const std::uint32_t workers : {1U, 2U, 5U}) {
    samples.push_back(partitions::contiguous(topology, workers));
    samples.push_back(partitions::random(topology, workers, 17));
  }
  samples.push_back(partitions::one_each(topology));
  return samples;
}

template <class Layer>
class EdgeLayer : public testing::Test {};
using EdgeLayers = testing::Types<PooledLayer<std::uint32_t>, PlainLayer<std::uint32_t>, AggregatedLayer<std::uint32_t>,
                                  AccumulatingLayer<std::uint32_t>>;
TYPED_TEST_SUITE(EdgeLayer, EdgeLayers);

TEST(MeshPart, NodesAndInputsAreRanges) {
  const Topology topology = topologies::ring(4);
  const Partition partition = partitions::contiguous(topology, 1);
  Everyone<StateLayer<int>> everyone(topology, partition);
  MeshPart<StateLayer<int>>& part = everyone.part(0);
  for (auto node : part.nodes()) node.put(static_cast<int>(node.id()) + 1);
  part.pull();
  const auto heard = [](const auto& input) { return input.get(); };
  EXPECT_TRUE(std::ranges::all_of(part.nodes(), [&](const auto& node) {
    return std::ranges::equal(node.inputs() | std::views::transform(heard),
                              std::vector{static_cast<int>(node.id() + 3) % 4 + 1});
  }));
  EXPECT_EQ(std::ranges::size(part.nodes()), 4U);
}

TYPED_TEST(EdgeLayer, InputsAndOutputsBelongToTheNeighborsOfTheTopology) {
  for (const Topology& topology : sample_topologies()) {
    for (const Partition& partition : sample_partitions(topology)) {
      Everyone<TypeParam> everyone(topology, partition);
      everyone.each_part([&](auto& part) {
        for (auto node : part.nodes()) {
          ASSERT_EQ(node.outputs().size(), topology.outputs(node.id()).size());
          for (std::uint32_t k = 0; k < node.outputs().size(); ++k)  // what is sent names the edge
            EXPECT_TRUE(node.outputs()[k].try_put(1 + 1000 * node.id() + topology.outputs(node.id())[k]));
        }
        part.flush();
      });
      everyone.each_part([&](auto& part) {
        part.pull();
        for (auto node : part.nodes()) {
          ASSERT_EQ(node.inputs().size(), topology.inputs(node.id()).size());
          for (std::uint32_t k = 0; k < node.inputs().size(); ++k) {
            EXPECT_EQ(node.inputs()[k].get(), 1 + 1000 * topology.inputs(node.id())[k] + node.id());
            EXPECT_TRUE(node.inputs()[k].fresh());
          }
        }
      });
    }
  }
}

TYPED_TEST(EdgeLayer, WhatANodeHearsChangesInPullsOnly) {
  const auto topology = topologies::dyad(4);
  for (const std::uint32_t workers : {1U, 4U}) {
    const auto partition = partitions::contiguous(topology, workers);
    Everyone<TypeParam> everyone(topology, partition);
    const auto put_all = [&](std::uint32_t message) {
      everyone.each_part([&](auto& part) {
        for (auto node : part.nodes()) node.put(message);
        part.flush();
      });
    };
    const auto heard = [&] { return (*everyone.part(0).nodes().begin()).inputs()[0].get(); };
    put_all(5);
    EXPECT_EQ(heard(), 0U) << "before the first pull";
    everyone.part(0).pull();
    EXPECT_EQ(heard(), 5U);
    put_all(7);
    EXPECT_EQ(heard(), 5U) << "a put without a pull shows";
    everyone.part(0).pull();
    EXPECT_NE(heard(), 5U);
    everyone.part(0).pull();
    EXPECT_FALSE((*everyone.part(0).nodes().begin()).inputs()[0].fresh()) << "nothing new came";
  }
}

TEST(StateLayer, NodesHearTheStateOfTheirInputs) {
  for (const Topology& topology : sample_topologies()) {
    for (const Partition& partition : sample_partitions(topology)) {
      Everyone<StateLayer<std::uint32_t>> everyone(topology, partition);
      everyone.each_part([&](auto& part) {
        for (auto node : part.nodes()) node.put(100 + node.id());
        part.flush();
      });
      everyone.each_part([&](auto& part) {
        part.pull();
        for (auto node : part.nodes()) node.put(7U);  // must not show
        part.for_each_node([&](auto node) {
          std::uint32_t k = 0;
          for (const auto input : node.inputs()) EXPECT_EQ(input.get(), 100 + topology.inputs(node.id())[k++]);
          EXPECT_EQ(k, topology.inputs(node.id()).size());
          EXPECT_EQ(node.inputs().size(), k);
        });
      });
    }
  }
}

TEST(StateLayer, BlockViewShowsWhatNodeViewShows) {
  for (const auto& extents : std::vector<std::vector<std::uint32_t>>{{6, 8}, {2, 64}, {64, 32}, {3, 4, 5}, {40}}) {
    const auto topology = topologies::torus(extents);
    for (const Partition& partition : sample_partitions(topology)) {
      Everyone<StateLayer<std::uint16_t>> everyone(topology, partition);
      for (std::uint32_t round = 1; round < 3; ++round) {
        everyone.each_part([&](auto& part) {
          for (auto node : part.nodes()) node.put(static_cast<std::uint16_t>(round * 5000 + node.id()));
          part.flush();
        });
        everyone.each_part([&](auto& part) {
          part.pull();
          for (std::uint32_t k = 0; k < topology.uniform_degree(); ++k) {
            const auto values = part.layer().received(k);
            ASSERT_EQ(values.size(), part.size());
            for (auto node : part.nodes()) ASSERT_EQ(values[node.index()], node.inputs()[k].get());
          }
        });
      }
    }
  }
}

TEST(PooledLayer, AfterARefusalTheNewestValueGoesAndNotTheStaleOne) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  Everyone<PooledLayer<int>> everyone(topology, partition, {{{.send_depth = 1}}});
  for (int message = 1; message <= 3; ++message) {  // the first fills the ring, the others are refused
    for (auto node : everyone.part(0).nodes()) node.put(message);
    everyone.part(0).flush();
  }
  const auto hear = [&] {
    everyone.part(1).pull();
    return (*everyone.part(1).nodes().begin()).inputs()[0].get();
  };
  EXPECT_EQ(hear(), 1);
  everyone.part(0).flush();  // nothing was put since: what waits is the newest value, 3
  EXPECT_EQ(hear(), 3);
}

TEST(PooledLayer, AChannelThatSkipsARoundShowsNoNewsAndHoldsUpNobody) {
  const auto topology = topologies::complete(3);
  const Partition partition(2, {0, 0, 1});
  Everyone<PooledLayer<int>> everyone(topology, partition);
  auto& sender = everyone.part(0);
  for (auto node : sender.nodes()) node.put(10 + static_cast<int>(node.id()));
  sender.flush();
  everyone.part(1).pull();
  for (auto node : sender.nodes())
    if (node.id() == 1) node.put(21);
  sender.flush();
  everyone.part(1).pull();
  const auto inputs = (*everyone.part(1).nodes().begin()).inputs();
  EXPECT_FALSE(inputs[0].fresh());
  EXPECT_EQ(inputs[0].get(), 10);
  EXPECT_TRUE(inputs[1].fresh());
  EXPECT_EQ(inputs[1].get(), 21);
}

TEST(AggregatedLayer, EveryMessageArrivesInOrderAcrossSeveralFrames) {
  const auto topology = topologies::dyad(2);
  for (const std::uint32_t workers : {1U, 2U}) {
    const auto partition = partitions::contiguous(topology, workers);
    Everyone<AggregatedLayer<std::string>> everyone(topology, partition, {{{.send_depth = 4, .max_bytes = 256}}});
    const auto sender = *everyone.part(0).nodes().begin();
    std::vector<std::string> sent;
    for (int frame = 0; frame < 3; ++frame) {
      for (int message = 0; message <= frame; ++message) {
        sent.push_back(std::string(static_cast<std::size_t>(frame + message), 'x') + std::to_string(sent.size()));
        EXPECT_TRUE(sender.outputs()[0].try_put(sent.back()));
      }
      everyone.part(0).flush();
    }
    auto& reader = everyone.part(workers - 1);
    reader.pull();
    std::vector<std::string> received;
    for (auto node : reader.nodes())
      if (node.id() == 1)
        for (const std::string& message : node.inputs()[0].messages()) received.push_back(message);
    EXPECT_EQ(received, sent);
  }
}

TEST(AggregatedLayer, AMessageNoFrameCanHoldIsAnErrorAndAFullFrameARefusal) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  Everyone<AggregatedLayer<std::string>> everyone(topology, partition, {{{.max_bytes = 64}}});
  const auto output = (*everyone.part(0).nodes().begin()).outputs()[0];
  EXPECT_THROW((void)output.try_put(std::string(60, 'a')), PayloadTooLarge);
  EXPECT_TRUE(output.try_put(std::string(30, 'a')));
  EXPECT_FALSE(output.try_put(std::string(30, 'b')));
  everyone.part(0).flush();
  EXPECT_TRUE(output.try_put(std::string(30, 'c')));
}

// Mass moves at random over a small world whose workers run at random speeds and often find full buffers.
TEST(AccumulatingLayer, TheTotalIsConservedExactly) {
  const auto topology = topologies::watts_strogatz(30, 4, 0.5, 2);
  const auto partition = partitions::random(topology, 3, 3);
  Everyone<AccumulatingLayer<std::int64_t>> everyone(topology, partition, {{{.send_depth = 1}}});
  SeededRandom random(6);
  std::vector<std::int64_t> stock(topology.nodes(), 1'000'000);
  const auto update = [&](auto& part, bool give) {
    part.pull();
    for (auto node : part.nodes()) {
      std::int64_t& mine = stock[node.id()];
      for (const auto input : node.inputs()) mine += input.take();
      if (!give) continue;
      for (const auto output : node.outputs()) {
        const std::int64_t gift = random.below(1000);
        mine -= gift;
        EXPECT_TRUE(output.try_put(gift));
      }
    }
    part.flush();
  };
  for (int turn = 0; turn < 500; ++turn) update(everyone.part(random.below(3)), true);
  for (int turn = 0; turn < 4; ++turn) everyone.each_part([&](auto& part) { update(part, false); });
  EXPECT_EQ(std::accumulate(stock.begin(), stock.end(), std::int64_t{0}), 30'000'000);
}

TEST(AccumulatingLayer, ALossyLinkIsRefusedInSetUp) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  using Mass = Everyone<AccumulatingLayer<float>>;
  EXPECT_THROW(Mass(topology, partition, {{{.overflow = Overflow::latest}}}), UsageError);
}

TEST(Mesh, LayersHaveTheirOwnCadence) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  Everyone<StateLayer<int>, PooledLayer<int>> everyone(topology, partition, {{{}, {.every = 3}}});
  std::vector<int> heard;
  for (int update = 1; update <= 7; ++update) {
    everyone.each_part([&](auto& part) {
      part.pull();
      for (auto node : part.nodes()) {
        if (node.id() == 1) heard.push_back(node.template inputs<1>()[0].get());
        node.template put<0>(update);
        node.template put<1>(update);
      }
      part.flush();
    });
  }
  EXPECT_EQ(heard, (std::vector{1, 1, 1, 4, 4, 4, 7}));
}

TEST(Mesh, UnchangedStateIsNotSentAgain) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  Everyone<StateLayer<int>> everyone(topology, partition, {{{.send_on_change = true}}});
  for (const int value : {4, 4, 4, 5}) {
    for (auto node : everyone.part(0).nodes()) node.put(value);
    everyone.part(0).flush();
    everyone.part(1).pull();
    EXPECT_EQ((*everyone.part(1).nodes().begin()).inputs()[0].get(), value);
  }
  const auto inlet = everyone.run().inlet({0, 0, 1, 0});
  EXPECT_EQ(inlet.attempted, 4U);
  EXPECT_EQ(inlet.unchanged, 2U);
  EXPECT_EQ(everyone.run().outlet({0, 0, 1, 0}).received, 2U);
}

TEST(Mesh, ComparingStatesAllocatesNothing) {
  const auto topology = topologies::torus({40});
  const auto partition = partitions::contiguous(topology, 2);
  Everyone<StateLayer<int>> everyone(topology, partition, {{{.send_on_change = true}}});
  auto& part = everyone.part(0);
  (void)take_largest_allocation();
  for (const int value : {1, 1, 2, 2, 3, 3}) {  // the third frame is refused
    for (auto node : part.nodes()) node.put(value);
    part.flush();
  }
  EXPECT_EQ(take_largest_allocation(), 0U);
  EXPECT_EQ(everyone.run().inlet({0, 0, 1, 0}).refused, 2U) << "what was refused is not taken for sent";
  EXPECT_EQ(everyone.run().inlet({0, 0, 1, 0}).unchanged, 2U);
}

TEST(Mesh, SilencedPartsHearOnlyThemselves) {
  const auto topology = topologies::torus({4});
  const auto partition = partitions::contiguous(topology, 2);
  Everyone<StateLayer<int>> everyone(topology, partition);
  everyone.each_part([](auto& part) { part.communicate(false); });
  everyone.each_part([](auto& part) {
    for (auto node : part.nodes()) node.put(9);
    part.flush();
  });
  auto& part = everyone.part(0);
  part.pull();
  EXPECT_EQ((*part.nodes().begin()).inputs()[0].get(), 0) << "from the other worker";
  EXPECT_EQ((*part.nodes().begin()).inputs()[1].get(), 9) << "from its own";
  everyone.each_part([](auto& each) { each.communicate(true), each.flush(); });
  part.pull();
  EXPECT_EQ((*part.nodes().begin()).inputs()[0].get(), 9) << "messages resume";
}

TEST(Mesh, ASendSilencedPlainPutIsNotCountedAsAnAttempt) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  Everyone<PlainLayer<int>> everyone(topology, partition);
  auto& part = everyone.part(0);
  part.communicate(false);
  part.pull();
  for (auto node : part.nodes()) node.put(1);
  EXPECT_EQ(everyone.run().inlet({0, 0, 1, 0}).attempted, 0U);
}

// In the directed ring 0 -> 1 -> 2 -> 0 and in the pair 0 <-> 1 every channel accepts as many messages as it is deep.
TEST(Mesh, APlainChannelMayHaveADepthOfItsOwn) {
  const auto depth_of = [](std::uint32_t from, std::uint32_t to) -> std::size_t { return 1 + 4 * from + to; };
  for (const auto& topology : {topologies::ring(3), topologies::dyad(2)}) {
    Everyone<PlainLayer<std::size_t>> everyone(topology, partitions::one_each(topology),
                                               {{{.receive_depth = 2, .channel_depth = depth_of}}});
    everyone.each_part([&](auto& part) {
      for (auto node : part.nodes())
        for (std::uint32_t k = 0; k < node.outputs().size(); ++k) {
          const std::size_t depth = depth_of(node.id(), topology.outputs(node.id())[k]) + 2;
          for (std::size_t put = 1; put <= depth; ++put) EXPECT_TRUE(node.outputs()[k].try_put(put));
          EXPECT_FALSE(node.outputs()[k].try_put(0)) << "from " << node.id() << ", depth " << depth;
        }
    });
    everyone.each_part([&](auto& part) {
      part.pull();
      for (auto node : part.nodes())
        for (std::uint32_t k = 0; k < node.inputs().size(); ++k)
          EXPECT_EQ(node.inputs()[k].get(), depth_of(topology.inputs(node.id())[k], node.id()) + 2);
    });
  }
}

TEST(Mesh, ADepthForEveryChannelNeedsLinksOfTheirOwn) {
  const auto topology = topologies::dyad(2);
  const LayerOptions options{.channel_depth = [](std::uint32_t, std::uint32_t) -> std::size_t { return 1; }};
  const auto build = [&]<class Layer>() { Everyone<Layer>(topology, partitions::one_each(topology), {{options}}); };
  EXPECT_THROW(build.template operator()<StateLayer<int>>(), UsageError);
  EXPECT_THROW(build.template operator()<PooledLayer<int>>(), UsageError);
  EXPECT_THROW(build.template operator()<AggregatedLayer<int>>(), UsageError);
  EXPECT_THROW(build.template operator()<AccumulatingLayer<int>>(), UsageError);
  EXPECT_NO_THROW(build.template operator()<PlainLayer<int>>());
}

template <class Layer>
class Accounting : public testing::Test {};
using AccountedLayers = testing::Types<StateLayer<int>, PooledLayer<int>, PlainLayer<int>, AggregatedLayer<int>>;
TYPED_TEST_SUITE(Accounting, AccountedLayers);

// attempted = refused + received + superseded + in flight, per link, at every moment. In flight are at most the frames that
// the transport holds and one that waits, with a message for each channel.
TYPED_TEST(Accounting, IsExactPerLinkAtEveryMoment) {
  const auto topology = topologies::torus({4, 6});
  const auto partition = partitions::blocks(topology, 4);
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    constexpr std::size_t depth = 3;
    Everyone<TypeParam> everyone(topology, partition, {{{.send_depth = depth, .overflow = overflow}}});
    constexpr bool is_state = std::same_as<TypeParam, StateLayer<int>>;
    const auto messages_per_frame = [&](const LinkKey& key) { return is_state ? 1 : everyone.run().channels(key); };
    SeededRandom random(5);
    std::map<LinkKey, std::uint64_t> losses, puts;
    for (int turn = 0; turn < 2000; ++turn) {
      auto& part = everyone.part(random.below(4) == 0 ? 0 : random.below(4));
      if (random.below(2) == 0) part.pull();
      if (random.below(2) == 0) {
        for (auto node : part.nodes()) node.put(turn);
        part.flush();
        everyone.run().for_each_link([&](const LinkKey& key, const auto&, const auto&) {
          if (key.from_worker == part.worker()) puts[key] += messages_per_frame(key);
        });
      }
      everyone.run().for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation& out) {
        if (key.from_worker == key.to_worker) return;
        ASSERT_EQ(in.attempted, puts[key]);
        ASSERT_LE(out.received + out.superseded + in.refused + in.superseded, in.attempted);
        const std::uint64_t in_flight = in.attempted - in.refused - in.superseded - out.received - out.superseded;
        losses[key] = in.refused + out.superseded;
        if (overflow == Overflow::drop_newest) {
          ASSERT_LE(in_flight, (depth + 1) * messages_per_frame(key));
          ASSERT_EQ(out.superseded, 0U);
        } else {
          ASSERT_EQ(in.refused, 0U);
        }
        ASSERT_LE(out.laden, out.pulls);
        ASSERT_LE(out.laden, out.received);
      });
    }
    everyone.each_part([](auto& part) { part.pull(); });
    everyone.each_part([](auto& part) { part.layer().flush(); });  // what packing has kept
    everyone.each_part([](auto& part) { part.pull(); });
    everyone.run().for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation& out) {
      if (key.from_worker == key.to_worker) return;
      EXPECT_EQ(in.attempted, in.refused + in.superseded + out.received + out.superseded)
          << "nothing is in flight after a last pull";
      EXPECT_GT(losses[key], 0U) << "the test did not fill the buffers";
    });
  }
}

TEST(Mesh, ATouchCountGrowsByTwoInARoundTrip) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  Everyone<StateLayer<int>> everyone(topology, partition);
  for (std::uint64_t round = 1; round <= 5; ++round) {
    for (const std::uint32_t worker : {0U, 1U}) {
      everyone.part(worker).pull();
      everyone.part(worker).flush();
    }
    // Worker 0 sends 0; 1 hears it (1) and sends it; 0 hears it (2) and sends it; ...
    EXPECT_EQ(everyone.run().outlet({0, 0, 1, 0}).touches, 2 * round - 1);
    EXPECT_EQ(everyone.run().outlet({0, 1, 0, 0}).touches, 2 * (round - 1));
  }
}

// Frames carry 32 bits of the count. Worker 1 is played by the test, which sends what a long run would have come to.
TEST(Mesh, ATouchCountGoesOnWhereTheBitsThatFramesCarryWrap) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  const Mesh<StateLayer<int>> mesh(topology, partition);
  ReplayedRun run({.workers = 2});
  auto part = mesh.part(run.connector(0));
  struct Frame {
    PackHeader header;
    int value;
  };
  const LinkSpec spec{.key = {0, 1, 0, 0}, .frame_bytes = sizeof(Frame)};
  AnySender sender = run.connector(1).sender(spec);
  std::uint64_t touches = 0;
  for (const std::uint64_t carried :
       {0x7fff'0000ULL, 0xffff'fff0ULL, 0xffff'ffffULL, 0x1'0000'0000ULL, 0x1'0000'0002ULL, 0x1'0000'0001ULL,
        0x1'7fff'0000ULL, 0x1'f000'0000ULL, 0x2'0000'0005ULL}) {
    const Frame frame{{static_cast<std::uint32_t>(carried), 1}, 7};
    std::byte* const room = sender.try_claim();
    ASSERT_NE(room, nullptr);
    std::memcpy(room, &frame, sizeof frame);
    sender.publish(sizeof frame);
    part.pull();
    touches = run.outlet({0, 1, 0, 0}).touches;
    EXPECT_EQ(touches, carried + 1);
  }
  part.flush();
  AnyReceiver receiver = run.connector(1).receiver({.key = {0, 0, 1, 0}, .frame_bytes = sizeof(Frame)});
  ASSERT_EQ(receiver.jump(), 1U);
  PackHeader answer{};
  std::memcpy(&answer, receiver.frame().data(), sizeof answer);
  EXPECT_EQ(answer.touch, static_cast<std::uint32_t>(touches));
}

TEST(Mesh, AWorkerOutsideThePartitionIsAUsageError) {
  const auto topology = topologies::dyad(4);
  const auto partition = partitions::contiguous(topology, 2);
  const Mesh<StateLayer<int>> mesh(topology, partition);
  ReplayedRun run({.workers = 3});
  EXPECT_THROW((void)mesh.part(run.connector(2)), UsageError);
}

TEST(Mesh, ANodeTakesAtMostAHundredBytes) {
  // Per node of a torus: id 4, rows 2 x 4, one state layer: 4 sources of 4 bytes, own and seen value, learner's 3
  // floats + 4.
  const auto topology = topologies::torus({64, 64});
  const auto partition = partitions::all_in_one(topology);
  const LocalNodes local_nodes(topology, partition, 0);
  const NodeRoutes routes = node_routes(local_nodes, topology, partition);
  const std::size_t bytes = local_nodes.nodes().size_bytes() + 4 * local_nodes.inputs().begins.size() +
                            4 * local_nodes.outputs().begins.size() + 4 * routes.source_of_input.size() +
                            2 * topology.nodes();
  EXPECT_LE(bytes / topology.nodes(), 84U);
}

}  // namespace
}  // namespace laxity
