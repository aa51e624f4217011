// Which worker owns which part of a mesh with several parts per worker: one word per part in shared memory, and a
// buffer for the state of a part that migrates.
//
// A part has one owner at any time, the worker whose number is in its word. Only the owner writes the word, and by
// writing it ceases to be the owner: one store transfers a part, without agreement and without blocking. Everything
// that the old owner did to the part happens before that store (release) and is visible to the new owner after its load
// (acquire). A worker has a counter of its arrivals, so that without any it reads a single word.
//
// Source of the idea of more parts than processors: Kale and Krishnan, CHARM++, OOPSLA 1993.
// Invariants: parts are numbered below parts(); the initial owner of part p is worker p / parts_per_worker.
// Threads: any, of any process that shares the arena. A worker that dies between the two stores of transfer() has
//   transferred a part that the new owner does not know of; the part stops, as all parts of a dead worker do.
// Elsewhere: what a worker does with its parts (migratable_parts.hpp), when it migrates one (migration_policy.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "laxity/transport/arena.hpp"

namespace laxity {

class PartOwners {
 public:
  /// Bounded because pairs of parts number the links between the same two workers.
  static constexpr std::uint32_t max_parts_per_worker = 1 << 12;

  /// Finds the owners in the arena or creates them there. One set of parts per arena. Throws UsageError if
  /// `parts_per_worker` is 0 or above the maximum, and what Arena::find_or_create throws.
  PartOwners(Arena& arena, std::uint32_t workers, std::uint32_t parts_per_worker);

  [[nodiscard]] std::uint32_t parts() const noexcept { return workers_ * parts_per_worker_; }
  /// The owner of the part at the start.
  [[nodiscard]] std::uint32_t initial_owner(std::uint32_t part) const noexcept { return part / parts_per_worker_; }

  /// The owner now, with acquire order: if it is the caller, everything done to the part before is visible.
  [[nodiscard]] std::uint32_t owner(std::uint32_t part) const noexcept {
    return entries_[part].owner.load(std::memory_order_acquire);  // G1: pairs with G2
  }
  /// Allocates the buffer of a part, of fixed size. Called by its initial owner before the first migration.
  void allocate_migration_buffer(std::uint32_t part, std::size_t bytes);
  /// The buffer for the state of a part that migrates. Called by its owner.
  [[nodiscard]] std::span<std::byte> migration_buffer(std::uint32_t part) const;
  /// Transfers a part to another owner. Called by its owner, which no longer uses it.
  void transfer(std::uint32_t part, std::uint32_t to) noexcept;
  /// The number of parts ever transferred to a worker.
  [[nodiscard]] std::uint64_t arrivals(std::uint32_t worker) const noexcept {
    return arrivals_[worker].count.load(std::memory_order_acquire);  // G3: pairs with G4, so that G1 finds them
  }

  /// The number of parts of a worker. May be outdated on return.
  [[nodiscard]] std::uint32_t parts_of(std::uint32_t worker) const noexcept;
  /// The number of transfers so far, of all workers.
  [[nodiscard]] std::uint64_t moves() const noexcept;

 private:
  struct alignas(64) Arrivals {
    std::atomic<std::uint64_t> count{0};
  };
  struct Entry {
    explicit Entry(std::uint32_t initial_owner) noexcept : owner(initial_owner) {}
    std::atomic<std::uint32_t> owner;
    std::uint32_t buffer_bytes = 0;  // written by the initial owner before the first migration
  };

  Arena& arena_;
  std::uint32_t workers_;
  std::uint32_t parts_per_worker_;
  Arrivals* arrivals_;  // of each worker
  Entry* entries_;      // of each part
};

}  // namespace laxity
