// Words and buffers in the arena, and transfers.
#include "laxity/mesh/migration/part_owners.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "laxity/error.hpp"

namespace laxity {

PartOwners::PartOwners(Arena& arena, std::uint32_t workers, std::uint32_t parts_per_worker)
    : arena_(arena), workers_(workers), parts_per_worker_(parts_per_worker) {
  if (parts_per_worker < 1 || parts_per_worker > max_parts_per_worker)
    throw UsageError(std::to_string(parts_per_worker) + " parts per worker: must be 1 to " +
                     std::to_string(max_parts_per_worker));
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  const std::size_t arrivals_bytes = workers * sizeof(Arrivals);
  std::byte* const block =
      arena.find_or_create(BlockKey("owners"), arrivals_bytes + parts() * sizeof(Entry), [&](std::byte* memory) {
        for (std::uint32_t worker = 0; worker < workers; ++worker) new (memory + worker * sizeof(Arrivals)) Arrivals();
        for (std::uint32_t part = 0; part < parts(); ++part)
          new (memory + arrivals_bytes + part * sizeof(Entry)) Entry(initial_owner(part));
      });
  arrivals_ = std::launder(reinterpret_cast<Arrivals*>(block));
  entries_ = std::launder(reinterpret_cast<Entry*>(block + arrivals_bytes));
}

void PartOwners::allocate_migration_buffer(std::uint32_t part, std::size_t bytes) {
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    throw UsageError("a part of " + std::to_string(bytes) + " bytes cannot migrate: use more parts per worker");
  entries_[part].buffer_bytes = static_cast<std::uint32_t>(bytes);
  static_cast<void>(migration_buffer(part));  // allocates now rather than at the first migration
}

std::span<std::byte> PartOwners::migration_buffer(std::uint32_t part) const {
  const std::size_t bytes = entries_[part].buffer_bytes;
  return {arena_.find_or_create(BlockKey("part_state", part), std::max<std::size_t>(bytes, 1), [](std::byte*) {}),
          bytes};
}

void PartOwners::transfer(std::uint32_t part, std::uint32_t to) noexcept {
  entries_[part].owner.store(to, std::memory_order_release);    // G2
  arrivals_[to].count.fetch_add(1, std::memory_order_release);  // G4
}

std::uint32_t PartOwners::parts_of(std::uint32_t worker) const noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t part = 0; part < parts(); ++part)
    count += entries_[part].owner.load(std::memory_order_relaxed) == worker ? 1 : 0;
  return count;
}

std::uint64_t PartOwners::moves() const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t worker = 0; worker < workers_; ++worker) sum += arrivals(worker);
  return sum;
}

}  // namespace laxity
