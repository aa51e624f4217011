// Parts that migrate between workers: serialization, ownership, policy, and results that do not change.
#include "laxity/mesh/migration/migratable_parts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/migration/part_connector.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity {
namespace {

static_assert(Serializable<MeshPart<StateLayer<int>>> && Serializable<MeshPart<StateLayer<int>, StateLayer<float>>>);
static_assert(!Serializable<MeshPart<PlainLayer<int>>> && !Serializable<MeshPart<StateLayer<int>, PlainLayer<int>>>);

TeamOptions small(int threads, int processes = 0) {
  return {.threads = threads,
          .processes = processes,
          .arena_bytes = 1 << 22,
          .max_blocks = 4096,
          .max_links = 4096,
          .tick = std::chrono::milliseconds(2)};
}

TEST(Archive, ReadsWhatWasWrittenInOrder) {
  std::vector<std::uint16_t> list{1, 2, 3};
  std::vector<float> empty;
  double number = 0.5;
  std::array<std::byte, 64> memory{};
  const auto serialize = [&](Archive archive) {
    archive.value(number);
    archive.values(std::span(list));
    archive.values(std::span(empty));
    return archive;
  };
  const std::size_t bytes = serialize(Archive::sizer()).bytes();
  EXPECT_EQ(bytes, sizeof(double) + 3 * sizeof(std::uint16_t));
  const auto buffer = std::span(memory).first(bytes);
  EXPECT_TRUE(serialize(Archive::writer(buffer)).is_complete());
  number = 7, list = {0, 0, 0};
  EXPECT_TRUE(serialize(Archive::reader(buffer)).is_complete());
  EXPECT_EQ(number, 0.5);
  EXPECT_EQ(list, (std::vector<std::uint16_t>{1, 2, 3}));
}

TEST(ArchiveDeathTest, ABufferOfAnotherSizeIsABug) {
  std::array<std::byte, 4> buffer{};
  double number = 0;
  EXPECT_DEATH(Archive::writer(buffer).value(number), "");
}

TEST(PartOwners, PartsStartAtTheirInitialOwnerAndBelongToTheWorkerInTheirWord) {
  Arena arena(Segment::private_memory(Arena::bytes_needed(64, 1 << 16)), 64);
  PartOwners owners(arena, 3, 2);
  const PartOwners same(arena, 3, 2);
  ASSERT_EQ(owners.parts(), 6U);
  for (std::uint32_t part = 0; part < 6; ++part) EXPECT_EQ(owners.owner(part), part / 2);
  EXPECT_EQ(owners.arrivals(2), 0U);
  owners.transfer(1, 2);
  EXPECT_EQ(same.owner(1), 2U);
  EXPECT_EQ(same.arrivals(2), 1U);
  EXPECT_EQ(same.arrivals(1), 0U);
  EXPECT_EQ(same.parts_of(0), 1U);
  EXPECT_EQ(same.parts_of(2), 3U);
  EXPECT_EQ(same.initial_owner(1), 0U);
  owners.transfer(1, 0);
  EXPECT_EQ(same.moves(), 2U);
  EXPECT_THROW(PartOwners(arena, 3, 0), UsageError);
  EXPECT_THROW(PartOwners(arena, 3, PartOwners::max_parts_per_worker + 1), UsageError);
}

using Paces = std::vector<WorkerPace>;

TEST(Migration, AWorkerThatIsClearlySlowerGivesToTheOneThatWillStillBeTheFastest) {
  const WorkerPace slow{0, 1000, 4};
  EXPECT_EQ(migration_target(slow, Paces{{1, 100, 4}, {2, 90, 4}, {3, 95, 4}}), 2U);
  EXPECT_EQ(migration_target(slow, Paces{{1, 100, 4}, {2, 90, 1}}), 1U) << "90 ns for one part are 180 for two";
  EXPECT_EQ(migration_target(slow, Paces{{1, 390, 4}}), 1U);
  EXPECT_EQ(migration_target(slow, Paces{{1, 400, 4}}), std::nullopt) << "it would take 500 ns, half of 1000";
}

TEST(Migration, NobodyGivesWithoutReason) {
  const Paces fast{{1, 1, 4}};
  EXPECT_EQ(migration_target({0, 1000, 1}, fast), std::nullopt) << "its last part";
  EXPECT_EQ(migration_target({0, 0, 4}, fast), std::nullopt) << "no window has passed";
  EXPECT_EQ(migration_target({0, 1000, 4}, Paces{}), std::nullopt) << "no neighbors";
  EXPECT_EQ(migration_target({0, 1000, 4}, Paces{{1, 0, 4}}), std::nullopt) << "nothing is known of it";
  EXPECT_EQ(migration_target({0, 1000, 4}, Paces{{1, 1, 0}}), std::nullopt) << "it has nothing to measure its pace by";
  EXPECT_EQ(migration_target({0, 1000, 4}, Paces{{1, 1000, 4}}), std::nullopt) << "one without an update in the window";
}

// Workers whose update takes so long for each part, all neighbors of each other; each decides once a round.
class Workers {
 public:
  explicit Workers(std::vector<double> ns_per_part, std::uint32_t parts)
      : ns_per_part_(std::move(ns_per_part)), parts_(ns_per_part_.size(), parts) {}

  void set_pace(std::size_t worker, double ns_per_part) { ns_per_part_[worker] = ns_per_part; }
  // Moves in that many rounds.
  int run(int rounds) {
    int moves = 0;
    for (; rounds > 0; --rounds)
      for (std::uint32_t me = 0; me < parts_.size(); ++me) {
        Paces others;
        for (std::uint32_t other = 0; other < parts_.size(); ++other)
          if (other != me) others.push_back(pace(other));
        const auto taker = migration_target(pace(me), others);
        if (!taker) continue;
        --parts_[me], ++parts_[*taker], ++moves;
      }
    return moves;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& parts() const noexcept { return parts_; }

 private:
  [[nodiscard]] WorkerPace pace(std::uint32_t worker) const {
    return {worker, ns_per_part_[worker] * parts_[worker], parts_[worker]};
  }

  std::vector<double> ns_per_part_;
  std::vector<std::uint32_t> parts_;
};

TEST(Migration, ComesToRestAndGoesBackWhenTheSlowWorkerIsWell) {
  for (const double slowness : {1.0, 1.8, 3.0, 10.0, 1000.0}) {
    Workers workers({100, 100 * slowness, 100, 100}, 8);
    workers.run(50);
    EXPECT_EQ(workers.run(50), 0) << "parts go back and forth beside a worker that is " << slowness << " times as slow";
    if (slowness < 2) {
      EXPECT_EQ(workers.parts()[1], 8U);
    }
    if (slowness >= 10) {
      EXPECT_LE(workers.parts()[1], 2U);
    }
    workers.set_pace(1, 100);
    workers.run(50);
    EXPECT_GE(workers.parts()[1], 4U) << "it got nothing back";
    EXPECT_EQ(workers.run(50), 0);
  }
}

/// A part whose nodes add up what they hear, and count their updates outside of the mesh.
struct Summing {
  MeshPart<StateLayer<std::uint64_t>, StateLayer<std::uint32_t>> part;
  std::vector<std::uint64_t> updates;

  explicit Summing(MeshPart<StateLayer<std::uint64_t>, StateLayer<std::uint32_t>> built)
      : part(std::move(built)), updates(part.size()) {}
  void serialize(Archive& archive) {
    part.serialize(archive);
    archive.values(std::span(updates));
  }
  void update() {
    part.pull();
    for (auto node : part.nodes()) {
      std::uint64_t sum = node.id() + ++updates[node.index()];
      for (const auto input : node.inputs()) sum = 31 * sum + input.get();
      for (const auto input : node.template inputs<1>()) sum += input.get();
      node.state() = sum;
      node.template state<1>() = static_cast<std::uint32_t>(sum >> 7);
    }
    part.flush();
  }
};

struct Outcome {
  std::vector<std::uint64_t> sums;  // of each node
  std::map<LinkKey, std::vector<std::uint64_t>> counts;
};

// One worker with four parts, so that nothing depends on time; what all nodes show after 60 updates, and what links
// count.
Outcome run_in_parts(bool moves, Overflow overflow) {
  const auto topology = topologies::torus({6, 8});
  const auto partition = partitions::blocks(topology, 4);
  const LayerOptions layer{.send_depth = 3, .overflow = overflow};
  LayerOptions rare = layer;
  rare.every = 3;
  const Mesh<StateLayer<std::uint64_t>, StateLayer<std::uint32_t>> mesh(topology, partition, {layer, rare});
  Outcome outcome{std::vector<std::uint64_t>(topology.nodes()), {}};
  Team team(small(1));
  const auto report = team.run([&](Worker& worker) {
    MigratableParts<Summing> parts(worker, 4, [&](std::uint32_t part, Archive* arrived) {
      PartConnector connector(worker, 4, part);
      auto built = std::make_unique<Summing>(mesh.part(connector));
      if (arrived != nullptr) built->serialize(*arrived);
      return built;
    });
    for (int update = 0; update < 60; ++update) {
      parts.for_each([](Summing& summing) { summing.update(); });
      worker.update_done();
      if (!moves) continue;
      for (const std::uint32_t part : parts.numbers()) parts.migrate(part, 0);
      if (parts.size() != 0) throw Error("a part that was given is still here");
      parts.receive();
    }
    if (parts.owners().moves() != (moves ? 240U : 0U)) throw Error("moves are not counted");
    parts.for_each([&](Summing& summing) {
      for (auto node : summing.part.nodes()) outcome.sums[node.id()] = node.state();
    });
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  team.counter_table().for_each_link([&](const LinkKey& key, LinkRow& row) {
    const InletObservation in = observe(row.inlet);
    const OutletObservation out = observe(row.outlet);
    outcome.counts[key] = {in.attempted, in.refused, out.pulls, out.laden, out.received, out.superseded, out.touches};
  });
  return outcome;
}

TEST(MigratableParts, APartThatMovesGoesOnBitByBit) {
  for (const Overflow overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    const Outcome still = run_in_parts(false, overflow);
    const Outcome moved = run_in_parts(true, overflow);
    EXPECT_NE(still.sums[0], still.sums[1]);
    EXPECT_EQ(moved.sums, still.sums) << to_string(overflow);
    EXPECT_EQ(moved.counts, still.counts) << to_string(overflow);
  }
}

// Makes part 0 of four, counts what it would take along, and says what is wrong with it.
template <class Layer>
std::string complaint_about(const LayerOptions& layer) {
  const auto topology = topologies::torus({4, 4});
  const auto partition = partitions::blocks(topology, 4);
  const Mesh<Layer> mesh(topology, partition, {layer});
  Team team(small(1));
  const auto report = team.run([&](Worker& worker) {
    PartConnector connector(worker, 4, 0);
    auto part = mesh.part(connector);
    Archive archive = Archive::sizer();
    if constexpr (Serializable<Layer>) part.serialize(archive);
  });
  return report.losses();
}

TEST(MigratableParts, RefuseWhatCannotMove) {
  EXPECT_EQ(complaint_about<StateLayer<int>>({}), "");
  EXPECT_NE(complaint_about<StateLayer<int>>({.reactions = {reaction_named("cadence")}}).find("reactions"),
            std::string::npos);
  EXPECT_NE(complaint_about<PlainLayer<int>>({}).find("one link between two parts"), std::string::npos);
}

// A worker that waits in each update, and others that do not: parts go to them until one is left.
TEST(MigratableParts, ASlowWorkerKeepsOnePart) {
  for (const int processes : {0, 3}) {
    const auto topology = topologies::torus({12, 12});
    const auto partition = partitions::blocks(topology, 9);
    const Mesh<StateLayer<int>> mesh(topology, partition);
    Team team(small(processes == 0 ? 3 : 1, processes));
    PartOwners owners(team.arena(), 3, 3);
    const auto report = team.run(
        [&](Worker& worker) {
          MigratableParts<MeshPart<StateLayer<int>>> parts(worker, 3, [&](std::uint32_t part, Archive* arrived) {
            PartConnector connector(worker, 3, part);
            auto built = std::make_unique<MeshPart<StateLayer<int>>>(mesh.part(connector));
            if (arrived != nullptr) built->serialize(*arrived);
            return built;
          });
          if (!worker.barrier()) return;
          while (!worker.stop_requested()) {
            parts.for_each([](auto& part) {
              part.pull();
              part.flush();
            });
            if (worker.id() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
            worker.update_done();
            parts.react(worker.quality());
          }
        },
        [&] {
          if (owners.parts_of(1) == 1) team.request_stop();
        });
    EXPECT_TRUE(report.all_finished()) << report.losses();
    EXPECT_EQ(owners.parts_of(1), 1U);
    EXPECT_GE(owners.moves(), 2U);
  }
}

}  // namespace
}  // namespace laxity
