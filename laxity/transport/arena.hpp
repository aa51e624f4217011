// Many blocks of memory in one segment, found by key: how the workers of a run meet.
//
// Both ends of a link ask for the block of the same key, in any order and at any time; whoever comes first lays it out.
// The arena is made before workers start; threads and forked processes use it through the object they inherit, others
// attach.
//
// Invariants: a block is shown to nobody before its initializer has returned. The directory is guarded by a mutex that
// survives its owner, and an initializer that died or threw is simply run again by the next worker that asks, on zeroed
// memory. Blocks are never freed: the segment goes as a whole.
//
// Memory: offsets, no pointers. Pages that no block has touched cost nothing, so segments may be generous.
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

#include "laxity/transport/segment.hpp"

namespace laxity {

/// Names a block: what it is and up to three numbers, such as {"ring", from, to, channel}.
class BlockKey {
 public:
  static constexpr std::size_t max_kind_length = 15;

  BlockKey() = default;
  /// Throws UsageError if `kind` is empty or longer than max_kind_length.
  BlockKey(std::string_view kind, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);

  /// "ring(0, 1, 7)", for messages.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t hash() const noexcept;
  bool operator==(const BlockKey&) const = default;

 private:
  std::array<char, max_kind_length + 1> kind_{};
  std::array<std::uint32_t, 3> numbers_{};
};

class Arena {
 public:
  /// Blocks lie on boundaries of 64 bytes; those larger than this lie on pages of their own.
  static constexpr std::size_t large_block = std::size_t{64} * 1024;

  /// Lays out an empty arena over a segment, before workers start. Throws UsageError if the directory does not fit.
  Arena(Segment segment, std::size_t max_blocks);
  /// The same over zeroed memory that somebody else owns; then processes that share it attach.
  static void lay_out(std::byte* memory, std::size_t bytes, std::size_t max_blocks);
  /// An arena that is laid out in this segment already.
  [[nodiscard]] static Arena attach(Segment segment) { return Arena(std::move(segment)); }

  /// What a segment must have for `blocks` blocks of together `bytes` bytes, alignment included.
  [[nodiscard]] static std::size_t bytes_needed(std::size_t blocks, std::size_t bytes);

  /// The block of this key, `bytes` > 0 bytes, made on first demand by calling `initialize` on zeroed memory.
  /// Everything that it wrote is visible to the caller. `initialize` may throw, and must not use the arena itself.
  /// Throws UsageError if the arena is full or the block exists in another size, Error if another worker holds up the
  /// directory for longer than `patience`.
  std::byte* find_or_create(const BlockKey& key, std::size_t bytes, const std::function<void(std::byte*)>& initialize,
                            std::chrono::nanoseconds patience = std::chrono::seconds(30));

  /// The block of this key as a T, default-constructed by the first worker that asks; never destroyed.
  template <class T>
  [[nodiscard]] T& object(const BlockKey& key) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);
    std::byte* place = find_or_create(key, sizeof(T), [](std::byte* memory) { new (memory) T(); });
    return *std::launder(reinterpret_cast<T*>(place));
  }

  /// Blocks made so far.
  [[nodiscard]] std::size_t blocks() const;
  /// Bytes of the segment taken so far, the directory included.
  [[nodiscard]] std::size_t bytes_used() const;

 private:
  struct Directory;
  struct Entry;

  explicit Arena(Segment segment) noexcept : segment_(std::move(segment)) {}
  [[nodiscard]] Directory& directory() const noexcept;
  void enter(Entry& entry, const BlockKey& key, std::size_t bytes);

  Segment segment_;
};

}  // namespace laxity
