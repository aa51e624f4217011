#include "laxity/transport/arena.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
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

[[noreturn]] void fail_damaged(const std::string& what) {
  throw Error("the directory of the arena is damaged (" + what + "): another process has overwritten it");
}

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
  std::uint64_t type;  // offset of its record; 0: any

  [[nodiscard]] bool is(BlockState wanted) const noexcept { return state.load(std::memory_order_relaxed) == wanted; }
  void become(BlockState next) noexcept { state.store(next, std::memory_order_release); }
};

/// The types of the values in blocks: a list, because there are few.
struct Arena::TypeRecord {
  PayloadType type;
  std::uint64_t next;  // offset; 0: none
};

struct alignas(small_alignment) Arena::Directory {
  detail::RobustMutex mutex;  // guards all members below
  std::uint64_t max_blocks = 0;
  std::uint64_t mask = 0;  // entries - 1
  std::uint64_t blocks = 0;
  std::uint64_t used = 0;   // bytes, directory included
  std::uint64_t types = 0;  // offset of the first TypeRecord; 0: none

  [[nodiscard]] Entry* entries() noexcept { return reinterpret_cast<Entry*>(this + 1); }

  /// The entry of this key, or the free entry for it. Zeroed memory is a table of free entries. Throws Error if there
  /// is neither, which an intact directory of these dimensions has.
  [[nodiscard]] Entry& find(const BlockKey& key, std::size_t segment_bytes) {
    const std::uint64_t room = (segment_bytes - sizeof(Directory)) / sizeof(Entry);
    for (std::uint64_t tries = 0; tries <= mask && mask < room; ++tries) {
      Entry& entry = entries()[(key.hash() + tries) & mask];
      if (entry.is(BlockState::none) || entry.key == key) return entry;
    }
    fail_damaged(key.text());
  }
};

std::byte* Arena::at(std::uint64_t offset, std::size_t bytes) const {
  if (offset > segment_.size() || bytes > segment_.size() - offset) fail_damaged("offset " + std::to_string(offset));
  return segment_.data() + offset;
}

Arena::Directory& Arena::directory() const noexcept {
  return *std::launder(reinterpret_cast<Directory*>(segment_.data()));
}

std::size_t Arena::bytes_needed(std::size_t blocks, std::size_t bytes) {
  const std::size_t directory = sizeof(Directory) + entries_for(blocks) * sizeof(Entry);
  constexpr std::size_t types = 8 * aligned(sizeof(TypeRecord), small_alignment);  // names of this many types
  return directory + types + bytes + blocks * small_alignment + (bytes / large_block + 1) * 2 * page;
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
                                 const std::function<void(std::byte*)>& initialize, std::chrono::nanoseconds patience,
                                 const PayloadType& type) {
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
  Entry& entry = directory.find(key, segment_.size());
  const bool is_retry = entry.is(BlockState::begun);
  if (entry.is(BlockState::none)) enter(entry, key, bytes, type);
  if (type.hash != 0 && entry.type != 0) {
    const PayloadType& existing = reinterpret_cast<const TypeRecord*>(at(entry.type, sizeof(TypeRecord)))->type;
    if (existing.hash != type.hash) throw TypeMismatch("block " + key.text(), type, existing);
  }
  if (entry.bytes != bytes) {
    throw UsageError("block " + key.text() + ": requested with " + std::to_string(bytes) + " bytes, exists with " +
                     std::to_string(entry.bytes) + "; both ends must agree on its shape");
  }
  std::byte* block = at(entry.offset, bytes);
  if (entry.is(BlockState::begun)) {
    if (is_retry) std::memset(block, 0, bytes);
    initialize(block);
    entry.become(BlockState::ready);
  }
  return block;
}

std::uint64_t Arena::record_of(const PayloadType& type) {
  if (type.hash == 0) return 0;
  Directory& directory = this->directory();
  for (std::uint64_t offset = directory.types; offset != 0;) {
    const auto* record = reinterpret_cast<const TypeRecord*>(at(offset, sizeof(TypeRecord)));
    if (record->type.hash == type.hash) return offset;
    offset = record->next;
  }
  const std::size_t offset = aligned(directory.used, small_alignment);
  if (offset > segment_.size() || sizeof(TypeRecord) > segment_.size() - offset)
    throw UsageError("the arena has no room for the name of a type: it has used " + std::to_string(directory.used) +
                     " of its " + std::to_string(segment_.size()) + " bytes; reserve more");
  new (segment_.data() + offset) TypeRecord{type, directory.types};
  directory.used = offset + sizeof(TypeRecord);
  directory.types = offset;
  return offset;
}

void Arena::enter(Entry& entry, const BlockKey& key, std::size_t bytes, const PayloadType& type) {
  Directory& directory = this->directory();
  const std::uint64_t record = record_of(type);
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
  entry.type = record;
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
