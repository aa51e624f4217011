#include "laxity/transport/arena.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/transport/detail/robust_mutex.hpp"

namespace laxity {
namespace {

constexpr std::size_t small_alignment = 64;
constexpr std::size_t page = 4096;

constexpr std::size_t aligned(std::size_t offset, std::size_t alignment) noexcept {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/// At most half full, so that probes stay short; a power of two, so that they wrap by a mask.
std::size_t entries_for(std::size_t blocks) { return std::bit_ceil(std::max<std::size_t>(blocks, 1) * 2); }

}  // namespace

BlockKey::BlockKey(std::string_view kind, std::uint32_t a, std::uint32_t b, std::uint32_t c) : numbers_{a, b, c} {
  if (kind.empty() || kind.size() > max_kind_length) {
    throw UsageError("block kind '" + std::string(kind) + "': must have 1 to " + std::to_string(max_kind_length) +
                     " characters");
  }
  std::copy(kind.begin(), kind.end(), kind_.begin());
}

std::string BlockKey::text() const {
  return std::string(kind_.data()) + "(" + std::to_string(numbers_[0]) + ", " + std::to_string(numbers_[1]) + ", " +
         std::to_string(numbers_[2]) + ")";
}

std::uint64_t BlockKey::hash() const noexcept {
  std::array<std::uint64_t, 4> words{};
  static_assert(sizeof(BlockKey) <= sizeof words);
  std::memcpy(words.data(), kind_.data(), kind_.size());
  std::memcpy(words.data() + 2, numbers_.data(), sizeof numbers_);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) {  // the finalizer of MurmurHash3 after each word
    hash ^= word;
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    hash ^= hash >> 33;
  }
  return hash;
}

enum class BlockState : std::uint32_t { none, begun, ready };

struct Arena::Entry {
  BlockKey key;
  // Accessed under the mutex. It is atomic because of owners that are killed: its release stores follow the writes that
  // they announce, so that an owner killed between any two instructions leaves a consistent entry.
  std::atomic<BlockState> state;
  std::uint64_t offset;  // from the segment's start
  std::uint64_t bytes;

  [[nodiscard]] bool is(BlockState wanted) const noexcept { return state.load(std::memory_order_relaxed) == wanted; }
  void become(BlockState next) noexcept { state.store(next, std::memory_order_release); }
};

struct alignas(small_alignment) Arena::Directory {
  detail::RobustMutex mutex;  // guards all members below
  std::uint64_t max_blocks = 0;
  std::uint64_t mask = 0;  // entries - 1
  std::uint64_t blocks = 0;
  std::uint64_t used = 0;  // bytes, directory included

  [[nodiscard]] Entry* entries() noexcept { return reinterpret_cast<Entry*>(this + 1); }

  /// The entry of this key, or the free entry for it. Zeroed memory is a table of free entries.
  [[nodiscard]] Entry& find(const BlockKey& key) noexcept {
    std::uint64_t probe = key.hash() & mask;
    while (!entries()[probe].is(BlockState::none) && entries()[probe].key != key) probe = (probe + 1) & mask;
    return entries()[probe];
  }
};

Arena::Directory& Arena::directory() const noexcept {
  return *std::launder(reinterpret_cast<Directory*>(segment_.data()));
}

std::size_t Arena::bytes_needed(std::size_t blocks, std::size_t bytes) {
  const std::size_t directory = sizeof(Directory) + entries_for(blocks) * sizeof(Entry);
  return directory + bytes + blocks * small_alignment + (bytes / large_block + 1) * 2 * page;
}

Arena::Arena(Segment segment, std::size_t max_blocks) : segment_(std::move(segment)) {
  lay_out(segment_.data(), segment_.size(), max_blocks);
}

void Arena::lay_out(std::byte* memory, std::size_t bytes, std::size_t max_blocks) {
  const std::size_t entries = entries_for(max_blocks);
  const std::size_t used = sizeof(Directory) + entries * sizeof(Entry);
  if (used > bytes) {
    throw UsageError("an arena for " + std::to_string(max_blocks) + " blocks needs more than " + std::to_string(used) +
                     " bytes, the segment has " + std::to_string(bytes));
  }
  auto* directory = new (memory) Directory();
  directory->max_blocks = max_blocks;
  directory->mask = entries - 1;
  directory->used = used;
}

std::byte* Arena::find_or_create(const BlockKey& key, std::size_t bytes,
                                 const std::function<void(std::byte*)>& initialize, std::chrono::nanoseconds patience) {
  LAXITY_CHECK(bytes > 0);
  Directory& directory = this->directory();
  std::unique_lock lock(directory.mutex, std::defer_lock);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (int tries = 1; !lock.try_lock(); ++tries) {
    // Owners need less than a microsecond unless they were descheduled: yield to them first, then sleep.
    if (tries < 100) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error("block " + key.text() + ": another worker has held the arena for " +
                  std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(patience).count()) +
                  " ms; it is stopped, or its initializer does not end");
    }
  }
  Entry& entry = directory.find(key);
  const bool is_retry = entry.is(BlockState::begun);
  if (entry.is(BlockState::none)) enter(entry, key, bytes);
  if (entry.bytes != bytes) {
    throw UsageError("block " + key.text() + ": requested with " + std::to_string(bytes) + " bytes, exists with " +
                     std::to_string(entry.bytes) + "; both ends must agree on its shape");
  }
  std::byte* block = segment_.data() + entry.offset;
  if (entry.is(BlockState::begun)) {
    if (is_retry) std::memset(block, 0, bytes);
    initialize(block);
    entry.become(BlockState::ready);
  }
  return block;
}

void Arena::enter(Entry& entry, const BlockKey& key, std::size_t bytes) {
  Directory& directory = this->directory();
  const std::size_t offset = aligned(directory.used, bytes > large_block ? page : small_alignment);
  if (directory.blocks == directory.max_blocks) {
    throw UsageError("block " + key.text() + ": the arena has all of its " + std::to_string(directory.max_blocks) +
                     " blocks; reserve more");
  }
  if (offset > segment_.size() || bytes > segment_.size() - offset) {
    throw UsageError("block " + key.text() + " of " + std::to_string(bytes) + " bytes: the arena has used " +
                     std::to_string(directory.used) + " of its " + std::to_string(segment_.size()) +
                     " bytes; reserve more");
  }
  entry.key = key;
  entry.offset = offset;
  entry.bytes = bytes;
  // A large block shares no page, so that first touch places the whole block on one NUMA node.
  directory.used = bytes > large_block ? aligned(offset + bytes, page) : offset + bytes;
  ++directory.blocks;
  entry.become(BlockState::begun);
}

std::size_t Arena::blocks() const {
  const std::scoped_lock lock(directory().mutex);
  return directory().blocks;
}

std::size_t Arena::bytes_used() const {
  const std::scoped_lock lock(directory().mutex);
  return directory().used;
}

}  // namespace laxity
