// The parts of a mesh that a worker has at the moment, and how they come and go.
//
//   MigratableParts<MeshPart<StateLayer<float>>> parts(worker, 4, [&](std::uint32_t part, Archive* arrived) {
//     PartConnector connector(worker, 4, part);
//     auto built = std::make_unique<MeshPart<StateLayer<float>>>(mesh.part(connector));
//     if (arrived != nullptr) built->serialize(*arrived);
//     return built;
//   });
//   ...
//   parts.for_each([](auto& part) { ... });   // an update of the worker is one of each of its parts
//   worker.update_done();
//   parts.react(worker.quality());            // takes what was given, gives if this worker is slow
//
// A part moves between two updates: its owner packs its state into a buffer in memory that all workers share, destroys the
// object, so that the ends of its links are nobody's, and writes the new owner's number into the part's word. That one
// sees it after its next update, builds the part, which takes up the ends where they were left, and unpacks the buffer.
// Neighbors notice nothing; frames for the part wait in their rings meanwhile.
// Invariants: a part is updated by its owner alone, so by one worker at a time; none is lost or done twice. With nobody
//   giving, an update costs a load more.
// Progress: nobody waits for a move. Who takes a part up builds it, as at the beginning, and looks its rings up in the
//   arena's directory, behind its lock. The parts of a worker that stands still or has died stand still with it.
// Threads: one worker. Elsewhere: words and their order (part_owners.hpp), links (part_connector.hpp), what a part takes
//   along (archive.hpp), when to give (reactions/migrate.hpp), why (docs/decisions/0014-parts-migrate-through-a-shared-word.md).
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
  /// Builds the program of a part. `arrived` has its state if it has moved, and is to be unpacked; null at the beginning.
  using Build = std::function<std::unique_ptr<Program>(std::uint32_t part, Archive* arrived)>;

  /// Builds the parts whose home is this worker. All workers give the same number. Throws what `build` and PartOwners
  /// throw.
  MigratableParts(Worker& worker, std::uint32_t parts_per_worker, Build build)
      : me_(static_cast<std::uint32_t>(worker.id())),
        owners_(worker.arena(), static_cast<std::uint32_t>(worker.size()), parts_per_worker),
        build_(std::move(build)) {
    for (std::uint32_t part = me_ * parts_per_worker; part < (me_ + 1) * parts_per_worker; ++part) begin(part);
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(held_.size()); }
  [[nodiscard]] const PartOwners& owners() const noexcept { return owners_; }

  /// Calls visit(program) for each part, in the order in which they came.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (const Held& held : held_) visit(*held.program);
  }

  /// Between two updates: takes up what was given to this worker, and after a window in which it was slow gives a part
  /// away, the one that came last, if it was slow in the window before, too.
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

  /// Between two updates: takes up what was given to this worker.
  void receive() {
    const std::uint64_t given = owners_.arrivals(me_);
    if (given == given_) return;
    given_ = given;
    for (std::uint32_t part = 0; part < owners_.parts(); ++part)
      if (owners_.owner(part) == me_ && place_of(part) == held_.end()) arrive(part);
  }

  /// Between two updates: hands a part that this worker has to another one, which may be itself.
  void migrate(std::uint32_t part, std::uint32_t to) {
    const auto place = place_of(part);
    LAXITY_CHECK(place != held_.end());
    Archive archive = Archive::writer(owners_.migration_buffer(part));
    place->program->serialize(archive);
    held_.erase(place);  // before the part is somebody else's
    owners_.transfer(part, to);
  }

  /// The numbers of the parts that are here, in the order of for_each().
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
  std::uint64_t given_ = 0;            // parts, when this worker last looked for them
  std::uint64_t reacted_to_ = 0;       // number of the window
  std::uint64_t slow_windows_ = 0;     // one after the other; the first may be an accident of scheduling
};

}  // namespace laxity
