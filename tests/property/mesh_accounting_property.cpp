// Accounting and integrity of meshes drawn at random: topology, partition, packing, depth, policy, cadence, pace of the
// workers and faults of the links all come from a seed, which a failure prints.
//
// At every moment, per link: the puts and refusals counted are those that were made, and
// attempted = refused + unchanged + superseded + received + lost + in flight, where those in flight fit into the buffers.
// When everybody has fallen silent and everything is due, none is in flight and both sides are equal. What a node
// hears was sent to it, and never goes back unless the link reorders; where nothing is lost the newest value of a state
// or pool is heard in the end, however often it was refused. What accumulates is conserved exactly.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "laxity/mesh/layers/accumulating_layer.hpp"
#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "tests/effort.hpp"

namespace laxity {
namespace {

Topology draw_topology(SeededRandom& random) {
  const std::uint32_t nodes = 6 + random.below(30);
  switch (random.below(7)) {
    case 0:
      return topologies::torus({2 + random.below(5), 2 + random.below(6)});
    case 1:
      return topologies::grid({2 + random.below(5), 2 + random.below(6)});
    case 2:
      return topologies::ring(nodes);
    case 3:
      return topologies::complete(2 + nodes / 4);
    case 4:
      return topologies::watts_strogatz(nodes, 4, random.unit(), random.bits());
    case 5:
      return topologies::navigable_small_world(2 + random.below(4), random.below(3), random.below(3), random.bits());
    default:
      return topologies::random_geometric(nodes, 0.1 + 0.4 * random.unit(), random.bits());
  }
}

Partition draw_partition(const Topology& topology, SeededRandom& random) {
  const std::uint32_t workers = 1 + random.below(std::min(topology.nodes(), 7U));
  switch (random.below(4)) {
    case 0:
      return partitions::random(topology, workers, random.bits());
    case 1:
      return partitions::round_robin(topology, workers);
    case 2:
      return topology.nodes() <= 12 ? partitions::one_each(topology) : partitions::contiguous(topology, workers);
    default:
      return partitions::contiguous(topology, workers);
  }
}

constexpr std::int64_t period_ns = 1000;
constexpr std::int64_t duration_ns = 300 * period_ns;

LayerOptions draw_layer(SeededRandom& random, bool lossless) {
  LayerOptions layer;
  layer.send_depth = 1 + random.below(6);
  layer.receive_depth = random.below(3);
  layer.overflow = lossless ? Overflow::drop_newest : static_cast<Overflow>(random.below(3));
  layer.every = 1 + random.below(3) / 2;
  layer.send_on_change = random.below(3) == 0;
  layer.max_bytes = 64 + random.below(1000);
  return layer;
}

ReplayOptions draw_simulation(std::uint32_t workers, SeededRandom& random, bool lossless) {
  ReplayOptions simulation{.workers = workers, .seed = random.bits(), .period_ns = period_ns};
  simulation.jitter = 0.9 * random.unit();
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    simulation.slowness.push_back(random.below(4) == 0 ? 1 + 9 * random.unit() : 1);
  Faults& faults = simulation.faults;
  if (!lossless && random.below(2) == 0) faults.loss = random.below(8) == 0 ? 1 : random.unit();
  if (random.below(2) == 0) faults.delay_ns = random.below(5000);
  if (random.below(2) == 0) faults.delay_spread_ns = random.below(20'000);
  if (random.below(2) == 0) faults.overtaking = 1 + random.below(5);
  if (random.below(3) == 0) faults.stall = 0.1 * random.unit(), faults.stall_ns = random.below(50'000);
  if (random.below(4) == 0) {
    faults.freeze_from_ns = random.below(duration_ns);
    faults.freeze_until_ns = faults.freeze_from_ns + random.below(50'000);
  }
  return simulation;
}

/// A mesh, its links and its workers, all drawn from a seed.
template <class Layer>
class World {
 public:
  explicit World(std::uint64_t seed, bool lossless)
      : random_(seed),
        topology_(draw_topology(random_)),
        partition_(draw_partition(topology_, random_)),
        options_(draw_layer(random_, lossless)),
        simulation_(draw_simulation(partition_.workers(), random_, lossless)),
        mesh_(topology_, partition_, {options_}),
        run_(simulation_) {
    for (std::uint32_t worker = 0; worker < partition_.workers(); ++worker)
      parts_.push_back(std::make_unique<MeshPart<Layer>>(mesh_.part(run_.connector(worker))));
  }

  /// hear(node) and say(node) are called for each node in each update; then only hear(node), until all has arrived.
  template <class Hear, class Say>
  void live(Hear&& hear, Say&& say) {
    for (std::int64_t time_ns = duration_ns / 10; time_ns <= duration_ns; time_ns += duration_ns / 10) {
      run_.run_until(time_ns, [&](std::uint32_t worker) {
        parts_[worker]->pull();
        for (auto node : parts_[worker]->nodes()) hear(node), say(node);
        parts_[worker]->flush();
      });
      check_accounts();
    }
    const Faults& faults = simulation_.faults;
    const std::int64_t all_is_due_ns = faults.delay_ns + faults.delay_spread_ns + faults.stall_ns + 50'000;
    const std::int64_t everybody_has_pulled_ns = 25 * period_ns;
    const auto pull = [&](std::uint32_t worker) {
      parts_[worker]->layer().pull();
      for (auto node : parts_[worker]->nodes()) hear(node);
    };
    const std::int64_t silent_ns = duration_ns + 40 * (all_is_due_ns + everybody_has_pulled_ns);
    run_.run_until(silent_ns, [&](std::uint32_t worker) {  // what packing held back leaves
      pull(worker);
      parts_[worker]->layer().flush();
    });
    run_.run_until(silent_ns + all_is_due_ns, [](std::uint32_t) {});
    run_.run_until(silent_ns + all_is_due_ns + everybody_has_pulled_ns, pull);
    check_nothing_is_in_flight();
  }

  /// A put on the edge, whose attempt and refusal the counters must show.
  template <class Output, class T>
  bool put(const Output& output, std::uint32_t from, std::uint32_t to, const T& message) {
    const bool accepted = output.try_put(message);
    Puts& puts = puts_[{partition_.worker_of(from), partition_.worker_of(to)}];
    ++puts.attempted;
    puts.refused += accepted ? 0 : 1;
    return accepted;
  }

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] SeededRandom& random() noexcept { return random_; }
  [[nodiscard]] bool keeps_order() const noexcept { return simulation_.faults.keep_order(); }
  [[nodiscard]] bool loses_nothing() const noexcept { return simulation_.faults.lose_nothing(); }

 private:
  void check_accounts() {
    if (options_.every == 1) check_puts();  // otherwise the counters of a packing are those of its last flush
    run_.for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation& out) {
      ASSERT_LE(accounted(key, in, out), in.attempted);
      ASSERT_LE(out.laden, std::min(out.pulls, out.received));
      if (options_.overflow == Overflow::drop_newest) {
        const std::size_t frames = options_.send_depth + options_.receive_depth + simulation_.faults.overtaking + 2;
        if (!counts_messages || loses_nothing()) {  // otherwise with those whose loss no newer frame has shown
          ASSERT_LE(in.attempted - accounted(key, in, out), frames * messages_per_frame(key));
        }
        ASSERT_TRUE(out.superseded == 0 || (counts_messages && !loses_nothing()) || !keeps_order());
      } else if (!is_aggregated) {
        ASSERT_EQ(in.refused, 0U);
      }
    });
  }

  /// What has become of the messages of a link that are not in flight. A packing learns of lost frames from newer ones, and
  /// counts them as superseded.
  [[nodiscard]] std::uint64_t accounted(const LinkKey& key, const InletObservation& in,
                                        const OutletObservation& out) const {
    const std::uint64_t lost = counts_messages ? run_.losses(key).newest_messages : run_.losses(key).frames;
    return in.refused + in.unchanged + in.superseded + lost + out.superseded + out.received;
  }

  void check_nothing_is_in_flight() {
    if (counts_messages || is_plain) check_puts();
    run_.for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation& out) {
      if (key.from_worker == key.to_worker) return;
      EXPECT_EQ(in.attempted, accounted(key, in, out))
          << "from worker " << key.from_worker << " to " << key.to_worker << " channel " << key.channel;
    });
  }

  void check_puts() {
    if constexpr (!is_state) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, Puts> counted;
      run_.for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation&) {
        Puts& puts = counted[{key.from_worker, key.to_worker}];
        puts.attempted += in.attempted;
        puts.refused += in.refused;
      });
      for (const auto& [ends, puts] : puts_) {
        if (ends.first == ends.second) continue;
        ASSERT_EQ(counted[ends].attempted, puts.attempted) << "from worker " << ends.first << " to " << ends.second;
        if (is_plain || is_aggregated) {
          ASSERT_EQ(counted[ends].refused, puts.refused) << "from worker " << ends.first << " to " << ends.second;
        }
      }
    }
  }

  [[nodiscard]] std::size_t messages_per_frame(const LinkKey& key) const {
    if (is_accumulating) return std::numeric_limits<std::uint32_t>::max();  // puts merge without limit
    if (is_aggregated) return options_.max_bytes / aggregated_record_bytes(1);
    return counts_messages ? run_.channels(key) : 1;
  }

  using Value = typename Layer::value_type;
  static constexpr bool is_state = std::same_as<Layer, StateLayer<Value>>;
  static constexpr bool is_plain = std::same_as<Layer, PlainLayer<Value>>;
  static constexpr bool is_aggregated = std::same_as<Layer, AggregatedLayer<Value>>;
  static constexpr bool is_accumulating = std::same_as<Layer, AccumulatingLayer<Value>>;
  static constexpr bool counts_messages = !is_state && !is_plain;

  struct Puts {
    std::uint64_t attempted = 0, refused = 0;
  };

  SeededRandom random_;
  Topology topology_;
  Partition partition_;
  LayerOptions options_;
  ReplayOptions simulation_;
  Mesh<Layer> mesh_;
  ReplayedRun run_;
  std::vector<std::unique_ptr<MeshPart<Layer>>> parts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Puts> puts_;  // by sending and receiving worker
};

/// Calls check(seed) for as many seeds as the effort asks for, until one fails.
template <class Check>
void for_each_seed(std::uint64_t first, Check&& check) {
  constexpr std::uint64_t seeds = 60;
  for (std::uint64_t seed = first; seed < first + seeds * effort() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed);
  }
}

struct Letter {
  std::uint32_t edge = 0;    // sender * nodes + receiver; on a StateLayer the sender
  std::uint32_t number = 0;  // of its edge, from 1
};

template <class Layer>
class Letters : public testing::Test {};
using LettersLayers =
    testing::Types<StateLayer<Letter>, PooledLayer<Letter>, PlainLayer<Letter>, AggregatedLayer<Letter>>;
TYPED_TEST_SUITE(Letters, LettersLayers);

TYPED_TEST(Letters, AreAccountedForAndArriveAsTheyWereSent) {
  constexpr bool is_state = std::same_as<TypeParam, StateLayer<Letter>>;
  for_each_seed(1, [](std::uint64_t seed) {
    World<TypeParam> world(seed, false);
    const std::uint32_t nodes = world.topology().nodes();
    std::map<std::uint32_t, std::uint32_t> sent;                             // by edge: the last number
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> heard;  // by receiver and edge
    const auto hear = [&](auto node) {
      std::uint32_t k = 0;
      for (const auto input : node.inputs()) {
        const std::uint32_t source = world.topology().inputs(node.id())[k++];
        const Letter letter = input.get();
        if (letter.number == 0) continue;
        ASSERT_EQ(letter.edge, is_state ? source : source * nodes + node.id());
        ASSERT_LE(letter.number, sent[letter.edge]) << "invented";
        std::uint32_t& last = heard[{node.id(), letter.edge}];
        if (world.keeps_order()) {
          ASSERT_GE(letter.number, last) << "went back";
        }
        last = letter.number;
      }
    };
    const auto say = [&](auto node) {
      if constexpr (is_state) {
        if (world.random().below(3) != 0) node.put(Letter{node.id(), ++sent[node.id()]});
      } else {
        std::uint32_t k = 0;
        for (const auto output : node.outputs()) {
          const std::uint32_t to = world.topology().outputs(node.id())[k++];
          const std::uint32_t edge = node.id() * nodes + to;
          if (world.random().below(3) != 0) (void)world.put(output, node.id(), to, Letter{edge, ++sent[edge]});
        }
      }
    };
    world.live(hear, say);
    constexpr bool sends_the_newest_again = is_state || std::same_as<TypeParam, PooledLayer<Letter>>;
    if (!sends_the_newest_again || !world.keeps_order() || !world.loses_nothing()) return;
    for (const auto& [end, number] : heard) EXPECT_EQ(number, sent[end.second]) << "an old value stayed";
  });
}

TEST(Mass, IsConservedExactlyHoweverItIsDelayed) {
  for_each_seed(1, [](std::uint64_t seed) {
    World<AccumulatingLayer<std::int64_t>> world(seed, true);
    std::int64_t given = 0, taken = 0;
    const auto take = [&](auto node) {
      for (const auto input : node.inputs()) taken += input.take();
    };
    const auto give = [&](auto node) {
      std::uint32_t k = 0;
      for (const auto output : node.outputs()) {
        const auto gift = static_cast<std::int64_t>(world.random().below(1000));
        if (world.put(output, node.id(), world.topology().outputs(node.id())[k++], gift)) given += gift;
      }
    };
    world.live(take, give);
    EXPECT_EQ(taken, given);
  });
}

}  // namespace
}  // namespace laxity
