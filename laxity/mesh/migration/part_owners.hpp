// Which worker has which part of a mesh with more parts than workers: a word for each part, in memory that all share,
// and a buffer in which its state travels.
//
// A part has one owner at any time, the worker whose number its word holds. Only the owner writes the word, and when it
// does it is the owner no longer: so a part is handed over by one store, nobody agrees with anybody, and nobody waits.
// All that the old owner did to the part is done before that store (release), and all that the new one does comes after
// it has read it (acquire).
// A worker counts what was given to it in a word of its own, so that one that gets nothing looks at nothing else.
//
// Source of the idea of more parts than processors: Kale and Krishnan, CHARM++, OOPSLA 1993.
// Invariants: every part is a number below parts(); parts begin at home, part p at worker p / parts_per_worker.
// Threads: any, of any process that shares the arena. A worker that dies between the two stores of give() has given a part
//   that nobody has been told of; it stands still, as all parts of a dead worker do.
// Elsewhere: what a worker does with its parts (migratable_parts.hpp), who gives to whom (reactions/migrate.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "laxity/transport/arena.hpp"

namespace laxity {

class PartOwners {
 public:
  /// Largest number of parts: part numbers distinguish the links between the same two workers.
  static constexpr std::uint32_t max_parts_per_worker = 1 << 12;

  /// Found in the arena, or made there, with all parts at home. One set of parts an arena. Throws UsageError if there are
  /// no or too many parts, and what Arena::find_or_create throws.
  PartOwners(Arena& arena, std::uint32_t workers, std::uint32_t parts_per_worker);

  [[nodiscard]] std::uint32_t parts() const noexcept { return workers_ * parts_per_worker_; }
  /// The worker that has the part at the beginning.
  [[nodiscard]] std::uint32_t initial_owner(std::uint32_t part) const noexcept { return part / parts_per_worker_; }

  /// With acquire order: if it is the caller, everything that was done to the part before is seen.
  [[nodiscard]] std::uint32_t owner(std::uint32_t part) const noexcept {
    return entries_[part].owner.load(std::memory_order_acquire);  // G1: pairs with G2
  }
  /// Makes the buffer of a part, whose size never changes. Called by the initial owner before the first migration.
  void allocate_migration_buffer(std::uint32_t part, std::size_t bytes);
  /// For the owner: where the state lies that the part has brought, or will take along.
  [[nodiscard]] std::span<std::byte> migration_buffer(std::uint32_t part) const;
  /// Hands a part over; for its owner, which has done with it.
  void transfer(std::uint32_t part, std::uint32_t to) noexcept;
  /// Parts that were ever given to a worker.
  [[nodiscard]] std::uint64_t arrivals(std::uint32_t worker) const noexcept {
    return arrivals_[worker].given.load(std::memory_order_acquire);  // G3: pairs with G4, so that G1 finds them
  }

  /// How many a worker has, as it looks from here.
  [[nodiscard]] std::uint32_t parts_of(std::uint32_t worker) const noexcept;
  /// Hand-overs so far, of all workers.
  [[nodiscard]] std::uint64_t moves() const noexcept;

 private:
  struct alignas(64) Arrivals {
    std::atomic<std::uint64_t> given{0};
  };
  struct Entry {
    explicit Entry(std::uint32_t home) noexcept : owner(home) {}
    std::atomic<std::uint32_t> owner;
    std::uint32_t buffer_bytes = 0;  // written by the home before it first gives the part
  };

  Arena& arena_;
  std::uint32_t workers_;
  std::uint32_t parts_per_worker_;
  Arrivals* arrivals_;  // of each worker
  Entry* entries_;      // of each part
};

}  // namespace laxity
