#include "workloads/evolution/world/checkpoint.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/effort.hpp"
#include "tests/unit/evolution/world/world_kit.hpp"
#include "workloads/evolution/run/evolution_run.hpp"

namespace laxity::evolution {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] static CheckpointDirectory directory(std::uint64_t identity = 1, std::uint32_t workers = 1) {
    return {folder_, workers, identity};
  }
  // Writes all parts of a checkpoint and publishes it.
  static void save(ReplayedWorld& world, std::uint64_t number, std::uint64_t identity = 1) {
    const CheckpointDirectory to = directory(identity, static_cast<std::uint32_t>(world.workers().size()));
    for (const auto& worker : world.workers()) to.write(*worker, number);
    EXPECT_TRUE(to.publish(number));
  }
  // What read() says against the first part; empty if it reads it.
  static std::string refusal(const CheckpointDirectory& from) {
    try {
      static_cast<void>(from.read(0));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  inline static const fs::path folder_ =
      fs::temp_directory_path() / ("laxity_checkpoint_test_" + std::to_string(::getpid()));
};

// 8 moments, and 80 with the effort of the long test, of a world with births, resource, messages and regulators.
TEST_F(Checkpoint, ContinuesAWorldBitByBitFromAnyUpdate) {
  Parameters parameters = small_world();
  parameters.mutation.occurrence = {0.5, 0.5, 0.5};
  const std::uint32_t moments = 8 * static_cast<std::uint32_t>(effort());
  SeededRandom random(3);
  ReplayedWorld whole(parameters, 1, 7, 0, {}, true);
  for (std::uint32_t moment = 0; moment < moments; ++moment) {
    const std::uint32_t apart = 1 + random.below(40);  // updates, more than two periods of birth
    for (std::uint32_t i = 0; i < apart; ++i) whole[0].update();
    save(whole, moment + 1);
    ReplayedWorld resumed(parameters, 1, 7, 0, {}, true);
    std::vector<std::byte> state = directory().read(0);
    read_state(resumed[0], state);
    EXPECT_EQ(resumed[0].age(), whole[0].age());
    EXPECT_EQ(resumed.hashes(), whole.hashes());
    const std::vector<std::uint64_t> before = whole.hashes();
    for (std::uint32_t i = 0; i < apart; ++i) {
      whole[0].update();
      resumed[0].update();
    }
    ASSERT_EQ(resumed.hashes(), whole.hashes()) << "after a checkpoint at update " << whole[0].age() - apart;
    ASSERT_NE(before, whole.hashes());
  }
  EXPECT_GT(whole[0].tallies().births, 0U);
  ReplayedWorld last(parameters, 1, 7, 0, {}, true);
  save(whole, moments + 1);
  std::vector<std::byte> state = directory().read(0);
  read_state(last[0], state);
  EXPECT_EQ(last[0].tallies().births, whole[0].tallies().births);
  EXPECT_EQ(last[0].account().stock(), whole[0].account().stock());
  EXPECT_EQ(last[0].births().births().size(), whole[0].births().births().size());
}

// Programs of random genomes also use regulators, forks and messages.
TEST_F(Checkpoint, ContinuesRandomGenomesBitByBit) {
  Parameters parameters = small_world();
  const Topology topology = world_topology(parameters, 1);
  const Partition partition = partitions::blocks(topology, 1);
  const EvolutionMesh mesh(topology, partition, layer_options(parameters));
  ReplayedRun links({.workers = 1});
  ReplayedRun other_links({.workers = 1});
  World whole(mesh, links.connector(0), parameters, 5), resumed(mesh, other_links.connector(0), parameters, 5);
  for (int i = 0; i < 101; ++i) whole.update();
  directory().write(whole, 1);
  ASSERT_TRUE(directory().publish(1));
  std::vector<std::byte> state = directory().read(0);
  read_state(resumed, state);
  for (int i = 0; i < 200; ++i) {
    whole.update();
    resumed.update();
    ASSERT_EQ(resumed.hash(), whole.hash()) << i;
  }
}

TEST_F(Checkpoint, KeepsTheCompleteOneUntilTheNextIsComplete) {
  ReplayedWorld world(small_world(), 2, 7);
  EXPECT_EQ(directory(1, 2).newest(), 0U);
  save(world, 1);
  world.run(10);
  directory(1, 2).write(world[0], 2);
  EXPECT_FALSE(directory(1, 2).publish(2));  // worker 1 has no part
  EXPECT_EQ(directory(1, 2).newest(), 1U);
  EXPECT_FALSE(directory(1, 2).read(0).empty());
  directory(1, 2).write(world[1], 2);
  EXPECT_TRUE(directory(1, 2).publish(2));
  EXPECT_EQ(directory(1, 2).newest(), 2U);
}

TEST_F(Checkpoint, IsRefusedByNameIfItIsTornForeignOrOlder) {
  EXPECT_NE(refusal(directory()).find("has no complete checkpoint"), std::string::npos);
  ReplayedWorld world(small_world(), 1, 7);
  save(world, 1);
  const fs::path part = folder_ / "worker-0.odd";
  ASSERT_EQ(refusal(directory()), "");
  EXPECT_NE(refusal(directory(2)).find("is of another world"), std::string::npos);
  EXPECT_NE(refusal(directory(1, 2)).find("is of a world of 1 workers, not 2"), std::string::npos);

  const auto bytes = fs::file_size(part);
  const auto patch = [&](std::streamoff at, char by) {
    std::fstream file(part, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(at);
    const char old = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(old ^ by));
  };
  const auto refusal_with = [&](std::streamoff at) {
    patch(at, 1);
    std::string complaint = refusal(directory());
    patch(at, 1);
    EXPECT_EQ(complaint.rfind(part.string() + ": ", 0), 0U) << complaint;
    return complaint;
  };
  EXPECT_NE(refusal_with(0).find("is not part of a checkpoint"), std::string::npos);
  EXPECT_NE(refusal_with(8).find("is of version 0 of the format, this program reads version 1"), std::string::npos);
  EXPECT_NE(refusal_with(12).find("is the part of worker 1"), std::string::npos);
  EXPECT_NE(refusal_with(24).find("another build"), std::string::npos);
  EXPECT_NE(refusal_with(40).find("is of checkpoint 0, the complete one is 1"), std::string::npos);
  EXPECT_NE(refusal_with(static_cast<std::streamoff>(bytes) - 1).find("is damaged"), std::string::npos);
  EXPECT_NE(refusal_with(static_cast<std::streamoff>(bytes) / 2).find("is damaged"), std::string::npos);
  ASSERT_EQ(refusal(directory()), "");
  fs::resize_file(part, bytes - 1);
  EXPECT_NE(refusal(directory()).find("is torn"), std::string::npos);
  fs::resize_file(part, 10);
  EXPECT_NE(refusal(directory()).find("is not part of a checkpoint"), std::string::npos);
  std::ofstream(folder_ / "checkpoint") << "many\n";
  EXPECT_NE(refusal(directory()).find("is not the number of a checkpoint"), std::string::npos);
}

TEST_F(Checkpoint, IdentityDependsOnParametersSeedAndBirths) {
  Parameters other = small_world();
  other.resource.keep = 0.99;
  const std::uint64_t identity = identity_of_world(small_world(), 1, false);
  EXPECT_EQ(identity, identity_of_world(small_world(), 1, false));
  EXPECT_NE(identity, identity_of_world(other, 1, false));
  EXPECT_NE(identity, identity_of_world(small_world(), 2, false));
  EXPECT_NE(identity, identity_of_world(small_world(), 1, true));
}

EvolutionResult run_team(int threads, std::uint64_t updates, PacingMode mode,
                         const std::function<void(EvolutionRun&)>& set) {
  const Parameters parameters = small_world();
  const auto workers = static_cast<std::uint32_t>(threads);
  const Topology topology = world_topology(parameters, workers);
  const Partition partition = partitions::blocks(topology, workers);
  EvolutionRun run{.topology = topology,
                   .partition = partition,
                   .team = {.threads = threads},
                   .pacing = {.mode = mode},
                   .parameters = parameters,
                   .ancestors = reproducing_ancestors(),
                   .updates = updates};
  set(run);
  return run_evolution(run);
}

TEST_F(Checkpoint, ARunOfOneWorkerContinuesAsIfItHadNotStopped) {
  const EvolutionResult whole = run_team(1, 150, PacingMode::none, [](EvolutionRun&) {});
  const auto saves = [](EvolutionRun& run) { run.checkpoint = folder_.string(), run.checkpoint_interval = 40; };
  const EvolutionResult first = run_team(1, 100, PacingMode::none, saves);
  const EvolutionResult second =
      run_team(1, 150, PacingMode::none, [](EvolutionRun& run) { run.resume = folder_.string(); });
  EXPECT_EQ(first.workers[0].updates, 100U);
  EXPECT_EQ(second.workers[0].updates, 50U);
  EXPECT_EQ(second.workers[0].hash, whole.workers[0].hash);
  EXPECT_NE(first.workers[0].hash, whole.workers[0].hash);
}

TEST_F(Checkpoint, WorkersOfATeamLoseNoResource) {
  for (const PacingMode mode : {PacingMode::every_update, PacingMode::none, PacingMode::isolated}) {
    fs::remove_all(folder_);
    const auto saves = [](EvolutionRun& run) { run.checkpoint = folder_.string(), run.checkpoint_interval = 30; };
    ResourceAccount before, after;
    for (const auto& worker : run_team(3, 100, mode, saves).workers) before += worker.account;
    // At update 100 the run has ended; the resumed one ends at once, with the parts that were written.
    const EvolutionResult resumed = run_team(3, 100, mode, [](EvolutionRun& run) { run.resume = folder_.string(); });
    double stock = 0;
    for (const auto& worker : resumed.workers) {
      EXPECT_EQ(worker.updates, 0U);
      EXPECT_NEAR(worker.stock, worker.account.stock(), 1e-9 * worker.account[ResourceTerm::start]);
      after += worker.account;
      stock += worker.stock;
    }
    EXPECT_GT(stock, 0);
    EXPECT_EQ(before.stock(), after.stock());
    EXPECT_EQ(before.in_transit(), after.in_transit());
    // All that was on its way has been received.
    ReplayedWorld replayed(small_world(), 3, 1);
    double received = 0;
    for (std::uint32_t worker = 0; worker < 3; ++worker) {
      std::vector<std::byte> state = directory(identity_of_world(small_world(), 1, false), 3).read(worker);
      read_state(replayed[worker], state);
      auto& resource = replayed[worker].part().layer<resource_layer>();
      for (std::uint32_t slot = 0; slot < resource.local_nodes().inputs().total(); ++slot)
        received += resource.get(slot);
    }
    EXPECT_GT(received, 0);
    if (mode != PacingMode::isolated) {
      EXPECT_NEAR(received, after.in_transit(), 1e-6 * after[ResourceTerm::sent]);
    }
  }
}

TEST_F(Checkpoint, NeighborsOnOtherWorkersAreSeenAsBeforeUntilTheySendAgain) {
  ReplayedWorld world(small_world(), 2, 7);
  world.run(50);
  save(world, 1);
  ReplayedWorld resumed(small_world(), 2, 7);
  const Topology topology = world_topology(small_world(), 2);
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    std::vector<std::byte> state = directory(1, 2).read(worker);
    read_state(resumed[worker], state);
    auto& layer = resumed[worker].part().layer<state_layer>();
    const std::vector<CardinalState> before(layer.received().begin(), layer.received().end());
    layer.pull();  // no frame has arrived
    const LocalNodes& local = layer.local_nodes();
    std::uint32_t of_others = 0;
    for (std::uint32_t node = 0; node < local.nodes().size(); ++node) {
      const auto sources = topology.inputs(local.id(node));
      for (std::uint32_t k = 0; k < sources.size(); ++k) {
        if (world.partition().worker_of(sources[k]) == worker) continue;
        const std::uint32_t slot = local.inputs().begin(node) + k;
        EXPECT_EQ(before[slot].facts, layer.get(slot).facts);
        EXPECT_EQ(before[slot].id_halves, layer.get(slot).id_halves);
        of_others += before[slot].holds(Fact::alive);
      }
    }
    EXPECT_GT(of_others, 0U);
  }
}

TEST_F(Checkpoint, ARunRefusesThatOfAnotherWorld) {
  const auto saves = [](EvolutionRun& run) { run.checkpoint = folder_.string(); };
  static_cast<void>(run_team(2, 20, PacingMode::every_update, saves));
  const auto resumes = [](EvolutionRun& run) { run.resume = folder_.string(); };
  EXPECT_THROW(static_cast<void>(run_team(1, 20, PacingMode::every_update, resumes)), Error);
  const auto with_another_seed = [](EvolutionRun& run) { run.resume = folder_.string(), run.seed = 2; };
  EXPECT_THROW(static_cast<void>(run_team(2, 20, PacingMode::every_update, with_another_seed)), Error);
  const auto interval_alone = [](EvolutionRun& run) { run.checkpoint_interval = 5; };
  EXPECT_THROW(static_cast<void>(run_team(1, 20, PacingMode::none, interval_alone)), UsageError);
}

}  // namespace
}  // namespace laxity::evolution
