// The parts of a mesh that a worker owns, and their migration to other workers.
//
//   MigratableParts<MeshPart<StateLayer<float>>> parts(worker, 4, [&](std::uint32_t part, Archive* arrived) {
//     PartConnector connector(worker, 4, part);
//     auto built = std::make_unique<MeshPart<StateLayer<float>>>(mesh.part(connector));
//     if (arrived != nullptr) built->serialize(*arrived);
//     return built;
//   });
//   ...
//   parts.for_each([](auto& part) { ... });   // one update of every part is one update of the worker
//   worker.update_done();
//   parts.react(worker.quality());            // receives parts, and migrates one if this worker is slow
//
// A part migrates between two updates: its owner writes its state into a buffer in memory that all workers share,
// destroys the object, which releases the ends of its links, and stores the number of the new owner in the part's word.
// The new owner reads the word after its next update, builds the part, which attaches to the ends of its links, and
// reads its state. Neighbors need not know; their frames wait in the rings meanwhile.
// Invariants: only its owner updates a part, so one worker at a time; no part is lost, and no update is made twice.
//   Without migrations an update costs one more load.
// Progress: migration never blocks. The new owner builds the part and looks its rings up in the arena's directory,
//   behind a lock. The parts of a worker that is stopped or dead make no progress.
// Threads: one worker.
// Elsewhere: ownership and memory order (part_owners.hpp), links (part_connector.hpp), serialization (archive.hpp),
//   when to migrate (migration_policy.hpp), reasons (docs/decisions/0014-parts-migrate-through-a-shared-word.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/launch/worker.hpp"
#include "laxity/mesh/migration/archive.hpp"
#include "laxity/mesh/migration/migration_policy.hpp"
#include "laxity/mesh/migration/part_owners.hpp"

namespace laxity {

template <Serializable Program>
class MigratableParts {
 public:
  /// Builds the program of a part. `arrived` is the state of a part that has migrated here, to be read; null at the
  /// start.
  using Build = std::function<std::unique_ptr<Program>(std::uint32_t part, Archive* arrived)>;

  /// Builds the parts whose initial owner is this worker. All workers pass the same `parts_per_worker`. Throws what
  /// `build` and PartOwners throw.
  MigratableParts(Worker& worker, std::uint32_t parts_per_worker, Build build)
      : me_(static_cast<std::uint32_t>(worker.id())),
        owners_(worker.arena(), static_cast<std::uint32_t>(worker.size()), parts_per_worker),
        build_(std::move(build)) {
    for (std::uint32_t part = me_ * parts_per_worker; part < (me_ + 1) * parts_per_worker; ++part) begin(part);
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(held_.size()); }
  [[nodiscard]] const PartOwners& owners() const noexcept { return owners_; }

  /// Calls visit(program) for each part, in the order of their arrival.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (const Held& held : held_) visit(*held.program);
  }

  /// Called between two updates. Receives parts that migrated to this worker. After two consecutive windows in which
  /// this worker was slow, migrates the part that arrived last.
  void react(const WorkerQuality& seen) {
    receive();
    if (seen.window == reacted_to_) return;
    reacted_to_ = seen.window;
    neighbors_.clear();
    for (const LinkQuality& link : seen.links)
      neighbors_.push_back({link.neighbor, link.neighbor_period_ns, owners_.parts_of(link.neighbor)});
    const auto taker = migration_target({me_, seen.simstep_period_ns, size()}, neighbors_);
    slow_windows_ = taker ? slow_windows_ + 1 : 0;
    if (slow_windows_ > 1) migrate(held_.back().part, *taker);
  }

  /// Called between two updates. Receives parts that migrated to this worker.
  void receive() {
    const std::uint64_t arrivals = owners_.arrivals(me_);
    if (arrivals == arrivals_seen_) return;
    arrivals_seen_ = arrivals;
    for (std::uint32_t part = 0; part < owners_.parts(); ++part)
      if (owners_.owner(part) == me_ && place_of(part) == held_.end()) arrive(part);
  }

  /// Called between two updates. Migrates a part of this worker to another one, or to itself.
  void migrate(std::uint32_t part, std::uint32_t to) {
    const auto place = place_of(part);
    LAXITY_CHECK(place != held_.end());
    Archive archive = Archive::writer(owners_.migration_buffer(part));
    place->program->serialize(archive);
    held_.erase(place);  // before another worker owns the part
    owners_.transfer(part, to);
  }

  /// The numbers of the parts of this worker, in the order of for_each().
  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers;
    for (const Held& held : held_) numbers.push_back(held.part);
    return numbers;
  }

 private:
  struct Held {
    std::uint32_t part;
    std::unique_ptr<Program> program;
  };

  [[nodiscard]] auto place_of(std::uint32_t part) { return std::ranges::find(held_, part, &Held::part); }

  void begin(std::uint32_t part) {
    auto program = build_(part, nullptr);
    Archive archive = Archive::sizer();
    program->serialize(archive);
    owners_.allocate_migration_buffer(part, archive.bytes());
    held_.push_back({part, std::move(program)});
  }

  void arrive(std::uint32_t part) {
    Archive archive = Archive::reader(owners_.migration_buffer(part));
    held_.push_back({part, build_(part, &archive)});
    LAXITY_CHECK(archive.is_complete());
  }

  std::uint32_t me_;
  PartOwners owners_;
  Build build_;
  std::vector<Held> held_;
  std::vector<WorkerPace> neighbors_;  // as of the last window
  std::uint64_t arrivals_seen_ = 0;
  std::uint64_t reacted_to_ = 0;    // the last window
  std::uint64_t slow_windows_ = 0;  // consecutive; a single one may be due to scheduling
};

}  // namespace laxity
