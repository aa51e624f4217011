// An arena: blocks of memory in one segment, found by key. Workers that share data find it in an arena.
//
// Both ends of a link request the block of the same key, in any order and at any time; the first request initializes
// it. The arena is made before workers start; threads and forked processes use the object that they inherit, other
// processes attach.
//
// Invariants: no caller gets a block before its initializer has returned. The directory is guarded by a mutex that
// survives the death of its owner; if an initializer dies or throws, the next request runs its own, on zeroed memory.
// Blocks are never freed: the segment is released as a whole.
//
// Memory: offsets, no pointers. Pages that no block has touched take no memory, so segments may be large.
// Threads: any, of any process; for set-up, not for hot paths.
// Elsewhere: the memory itself (segment.hpp), rings in blocks (shared_memory.hpp).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "laxity/transport/payload_type.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {

/// The key of a block: its kind and up to three numbers, such as {"ring", from, to, channel}.
class BlockKey {
 public:
  static constexpr std::size_t max_kind_length = 15;

  BlockKey() = default;
  /// Throws UsageError if `kind` is empty or longer than max_kind_length.
  BlockKey(std::string_view kind, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);

  /// "ring(0, 1, 7)", for error messages.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t hash() const noexcept;
  bool operator==(const BlockKey&) const = default;

 private:
  std::array<char, max_kind_length + 1> kind_{};
  std::array<std::uint32_t, 3> numbers_{};
};

class Arena {
 public:
  /// Blocks are 64-byte aligned; those larger than this have pages of their own.
  static constexpr std::size_t large_block = std::size_t{64} * 1024;

  /// Makes an empty arena in a segment, before workers start. Throws UsageError if the directory does not fit.
  Arena(Segment segment, std::size_t max_blocks);
  /// Makes an empty arena in zeroed memory that the caller owns, for processes that share it and attach.
  static void lay_out(std::byte* memory, std::size_t bytes, std::size_t max_blocks);
  /// Attaches to the arena in a segment.
  [[nodiscard]] static Arena attach(Segment segment) { return Arena(std::move(segment)); }

  /// Size of a segment for `blocks` blocks with a total of `bytes` bytes, including alignment.
  [[nodiscard]] static std::size_t bytes_needed(std::size_t blocks, std::size_t bytes);

  /// Returns the block of this key, `bytes` > 0 bytes. The first request calls `initialize` on zeroed memory; what it
  /// wrote is visible to every caller. `initialize` may throw, and must not use the arena itself. Throws UsageError if
  /// the arena is full or the block exists in another size, TypeMismatch if it was requested for values of another
  /// type, Error if another worker holds the directory for longer than `patience` or the directory was overwritten.
  std::byte* find_or_create(const BlockKey& key, std::size_t bytes, const std::function<void(std::byte*)>& initialize,
                            std::chrono::nanoseconds patience = std::chrono::seconds(30), const PayloadType& type = {});

  /// The block of this key as a T, default-constructed by the first request; never destroyed.
  template <class T>
  [[nodiscard]] T& object(const BlockKey& key) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);
    std::byte* place = find_or_create(key, sizeof(T), [](std::byte* memory) { new (memory) T(); });
    return *std::launder(reinterpret_cast<T*>(place));
  }

  /// The number of blocks.
  [[nodiscard]] std::size_t blocks() const;
  /// Bytes of the segment in use, including the directory.
  [[nodiscard]] std::size_t bytes_used() const;

 private:
  struct Directory;
  struct Entry;
  struct TypeRecord;

  explicit Arena(Segment segment) noexcept : segment_(std::move(segment)) {}
  [[nodiscard]] Directory& directory() const noexcept;
  void enter(Entry& entry, const BlockKey& key, std::size_t bytes, const PayloadType& type);
  /// The place of `bytes` bytes within the segment. Throws Error if they do not lie there: the directory was
  /// overwritten.
  [[nodiscard]] std::byte* at(std::uint64_t offset, std::size_t bytes) const;
  /// The offset of the record of a type, which is made if there is none; 0 for any type.
  [[nodiscard]] std::uint64_t record_of(const PayloadType& type);

  Segment segment_;
};

}  // namespace laxity
