// Parts that migrate all the time to random workers, between threads, forked processes and mixes of them: also back,
// also the last part of a worker, also to their own owner.
//
// Each update of a part checks that its owner is the only one (a word that is acquired and released; under the thread
// sanitizer also all that it touches), that it is the next one (a count outside of the mesh, in memory that all share,
// equals the one that travels with the part), and that what it hears was sent, and never decreases, wherever the two
// parts are. When all workers have stopped sending every frame is accounted for, link by link.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/migration/migratable_parts.hpp"
#include "laxity/mesh/migration/part_connector.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/random.hpp"
#include "tests/effort.hpp"

namespace laxity {
namespace {

constexpr std::uint32_t parts_per_worker = 3;

void require(bool holds, const std::string& what, std::uint32_t part) {
  if (!holds) throw Error("part " + std::to_string(part) + ": " + what);
}

/// What is known of each part outside of the mesh.
struct alignas(64) Witness {
  std::atomic<bool> is_taken{false};
  std::uint64_t updates = 0;               // no atomic: the words of the owners order its writers
  std::atomic<std::uint64_t> progress{0};  // the same for others to see
};

struct Letter {
  std::uint32_t sender = 0;
  std::uint32_t number = 0;  // of the update that sent it
};

class Program {
 public:
  Program(MeshPart<StateLayer<Letter>> part, Witness& witness)
      : part_(std::move(part)), witness_(witness), heard_(part_.local_nodes().inputs().total()) {}

  void serialize(Archive& archive) {
    part_.serialize(archive);
    archive.value(updates_);
    archive.values(std::span(heard_));
  }

  void update(const Topology& topology) {
    require(!witness_.is_taken.exchange(true, std::memory_order_relaxed), "two owners at once", part_.worker());
    require(witness_.updates == updates_, "an update is missing, or done twice", part_.worker());
    ++updates_;
    part_.pull();
    listen(topology);
    for (auto node : part_.nodes()) {
      require(updates_ == 1 || node.state().number + 1 == updates_, "a node has lost its state", part_.worker());
      node.put(Letter{node.id(), static_cast<std::uint32_t>(updates_)});
    }
    part_.flush();
    witness_.updates = updates_;
    witness_.progress.store(updates_, std::memory_order_relaxed);
    witness_.is_taken.store(false, std::memory_order_relaxed);
  }

  /// Takes what is under way, and says nothing.
  void drain(const Topology& topology) {
    part_.pull();
    listen(topology);
  }

 private:
  void listen(const Topology& topology) {
    for (auto node : part_.nodes()) {
      std::uint32_t k = 0;
      for (const auto input : node.inputs()) {
        const Letter letter = input.get();
        std::uint32_t& last = heard_[part_.local_nodes().inputs().begin(node.index()) + k];
        require(letter.number == 0 || letter.sender == topology.inputs(node.id())[k], "torn or invented",
                part_.worker());
        require(letter.number >= last,
                "went back from " + std::to_string(last) + " to " + std::to_string(letter.number), part_.worker());
        last = letter.number;
        ++k;
      }
    }
  }

  MeshPart<StateLayer<Letter>> part_;
  Witness& witness_;
  std::uint64_t updates_ = 0;
  std::vector<std::uint32_t> heard_;  // of each input
};

struct Shape {
  int threads, processes;
  Overflow overflow = Overflow::drop_newest;
};

class MigratingParts : public testing::TestWithParam<Shape> {
 protected:
  [[nodiscard]] static TeamOptions options(LossPolicy on_loss = LossPolicy::end) {
    return {.threads = GetParam().threads,
            .processes = GetParam().processes,
            .arena_bytes = 1 << 24,
            .max_blocks = 4096,
            .max_links = 4096,
            .on_loss = on_loss,
            .tick = std::chrono::milliseconds(2)};
  }
};
INSTANTIATE_TEST_SUITE_P(Team, MigratingParts,
                         testing::Values(Shape{3, 0}, Shape{1, 3}, Shape{2, 2}, Shape{3, 0, Overflow::drop_oldest},
                                         Shape{1, 2, Overflow::latest}),
                         [](const auto& instance) {
                           return shape_of({.threads = instance.param.threads, .processes = instance.param.processes}) +
                                  std::string(to_string(instance.param.overflow));
                         });

/// A torus over a team, and what a worker does with its parts of it.
class World {
 public:
  World(Team& team, Overflow overflow)
      : team_(team),
        workers_(static_cast<std::uint32_t>(team.size())),
        topology_(topologies::torus({12, 6 * workers_})),
        partition_(partitions::blocks(topology_, parts_per_worker * workers_)),
        mesh_(topology_, partition_, {LayerOptions{.send_depth = 2, .overflow = overflow}}),
        owners_(team.arena(), workers_, parts_per_worker) {
    for (std::uint32_t part = 0; part < owners_.parts(); ++part) (void)witness(part);
  }

  [[nodiscard]] Witness& witness(std::uint32_t part) { return team_.arena().object<Witness>({"witness", part}); }
  [[nodiscard]] const PartOwners& owners() const noexcept { return owners_; }
  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }

  [[nodiscard]] MigratableParts<Program> parts_of(Worker& worker) {
    return {worker, parts_per_worker, [this, &worker](std::uint32_t part, Archive* arrived) {
              PartConnector connector(worker, parts_per_worker, part);
              auto program = std::make_unique<Program>(mesh_.part(connector), witness(part));
              if (arrived != nullptr) program->serialize(*arrived);
              return program;
            }};
  }

  /// Updates until the team is asked to stop, and gives parts away at random as long as moves() says so.
  template <class Moves>
  void live(Worker& worker, MigratableParts<Program>& parts, Moves&& moves) {
    SeededRandom random(static_cast<std::uint64_t>(worker.id()));
    while (!worker.stop_requested()) {
      parts.for_each([&](Program& program) { program.update(topology_); });
      worker.update_done();
      parts.receive();
      if (!moves()) continue;
      for (const std::uint32_t part : parts.numbers())
        if (random.below(4) == 0) parts.migrate(part, random.below(workers_));
    }
  }

  /// Of all links between different parts, when nothing is under way.
  void check_accounts() const {
    std::uint64_t received = 0;
    team_.counter_table().for_each_link([&](const LinkKey& key, LinkRow& row) {
      const InletObservation in = observe(row.inlet);
      const OutletObservation out = observe(row.outlet);
      const std::uint32_t from = key.from_worker * parts_per_worker + key.channel / parts_per_worker;
      const std::uint32_t to = key.to_worker * parts_per_worker + key.channel % parts_per_worker;
      if (from == to) return;
      received += out.received;
      EXPECT_EQ(in.attempted, in.refused + in.unchanged + out.superseded + out.received)
          << "from part " << from << " to " << to;
    });
    EXPECT_GT(received, owners_.moves());
  }

 private:
  Team& team_;
  std::uint32_t workers_;
  Topology topology_;
  Partition partition_;
  Mesh<StateLayer<Letter>> mesh_;
  PartOwners owners_;
};

TEST_P(MigratingParts, AreUpdatedByOneWorkerAtATimeAndLoseNothing) {
  const std::uint64_t moves = std::uint64_t{1000} * effort();
  Team team(options());
  World world(team, GetParam().overflow);
  const auto report = team.run(
      [&](Worker& worker) {
        const auto me = static_cast<std::uint32_t>(worker.id());
        MigratableParts<Program> parts = world.parts_of(worker);
        if (!worker.barrier()) return;
        world.live(worker, parts, [] { return true; });
        if (!worker.barrier()) return;  // nobody gives any more
        parts.receive();
        for (const std::uint32_t part : parts.numbers())
          require(world.owners().owner(part) == me, "is somebody else's", part);
        require(parts.size() == world.owners().parts_of(me), "not all are here", parts.size());
        parts.for_each([&](Program& program) { program.drain(world.topology()); });
      },
      [&] {
        if (world.owners().moves() > moves) team.request_stop();
      });
  ASSERT_TRUE(report.all_finished()) << report.losses();
  for (std::uint32_t part = 0; part < world.owners().parts(); ++part) EXPECT_GT(world.witness(part).updates, 0U);
  world.check_accounts();
}

/// Lets parts move for a while, then kills a process, then looks who goes on; a supervisor's turns.
class Assassin {
 public:
  /// In memory that all share.
  struct Signs {
    std::atomic<bool> rest{false};                              // nobody shall give any more
    std::array<std::atomic<std::uint64_t>, 8> turns_at_rest{};  // of each worker
  };

  Assassin(Team& team, World& world) : team_(team), world_(world), signs_(team.arena().object<Signs>({"signs"})) {}

  /// Whether a worker may give; asked after each of its updates.
  [[nodiscard]] bool allows(const Worker& worker) noexcept {
    if (!signs_.rest.load(std::memory_order_relaxed)) return true;
    signs_.turns_at_rest[static_cast<std::size_t>(worker.id())].fetch_add(1, std::memory_order_release);
    return false;
  }

  void tick() {
    const CounterTable table = team_.counter_table();
    if (world_.owners().moves() > 300) signs_.rest.store(true, std::memory_order_relaxed);
    if (!killed_ && all_are_at_rest()) {
      killed_ = true;
      ::kill(table.worker(0).pid.load(std::memory_order_relaxed), SIGKILL);
    }
    if (!killed_ || table.worker(0).state.load(std::memory_order_acquire) != WorkerState::killed) return;
    if (progress_.empty())
      for (std::uint32_t part = 0; part < world_.owners().parts(); ++part) progress_.push_back(progress_of(part));
    else if (all_others_go_on())
      team_.request_stop();
  }

  void check() {
    for (std::uint32_t part = 0; part < progress_.size(); ++part)
      if (is_dead(world_.owners().owner(part))) {
        EXPECT_EQ(progress_of(part), progress_[part]) << "part " << part;
      }
  }

 private:
  [[nodiscard]] std::uint64_t progress_of(std::uint32_t part) {
    return world_.witness(part).progress.load(std::memory_order_relaxed);
  }
  // What was given before has arrived: everybody has taken up at least once since all gave for the last time.
  [[nodiscard]] bool all_are_at_rest() {
    if (rested_.empty()) {
      for (int worker = 0; worker < team_.size(); ++worker)
        if (turns(worker) == 0) return false;
      for (int worker = 0; worker < team_.size(); ++worker) rested_.push_back(turns(worker));
    }
    for (int worker = 0; worker < team_.size(); ++worker)
      if (turns(worker) < rested_[static_cast<std::size_t>(worker)] + 2) return false;
    return true;
  }
  [[nodiscard]] std::uint64_t turns(int worker) const {
    return signs_.turns_at_rest[static_cast<std::size_t>(worker)].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_dead(std::uint32_t worker) const {
    const WorkerState state = team_.counter_table().worker(static_cast<int>(worker)).state.load();
    return state == WorkerState::killed || state == WorkerState::failed;
  }
  [[nodiscard]] bool all_others_go_on() {
    for (std::uint32_t part = 0; part < progress_.size(); ++part)
      if (!is_dead(world_.owners().owner(part)) && progress_of(part) < progress_[part] + 20) return false;
    return true;
  }

  Team& team_;
  World& world_;
  Signs& signs_;
  bool killed_ = false;
  std::vector<std::uint64_t> rested_;    // turns of each worker when all had come to rest
  std::vector<std::uint64_t> progress_;  // of each part, after the kill
};

TEST_P(MigratingParts, OfAWorkerThatIsKilledStandStillAndAllOthersGoOn) {
  if (GetParam().processes == 0) GTEST_SKIP() << "threads are not killed alone";
  Team team(options(LossPolicy::go_on));
  World world(team, GetParam().overflow);
  Assassin assassin(team, world);
  const auto report = team.run(
      [&](Worker& worker) {
        MigratableParts<Program> parts = world.parts_of(worker);
        if (!worker.barrier()) return;
        world.live(worker, parts, [&] { return assassin.allows(worker); });
      },
      [&] { assassin.tick(); });
  for (const WorkerEnd& end : report.workers)
    EXPECT_EQ(end.state, end.place.process == 0 ? WorkerState::killed : WorkerState::finished) << report.losses();
  assassin.check();
}

}  // namespace
}  // namespace laxity
