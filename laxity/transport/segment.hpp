// A piece of memory that workers share: threads, forked processes, or processes that attach by name.
//
// Three kinds, by who may see it. Private memory is for the threads of one process. Shared memory is a sealed memfd:
// forked workers inherit the mapping, and processes that are told its address (SegmentOffer) join it; it has no name, so
// nothing is left behind whatever dies. Named segments are for processes that attach later; they lie in /dev/shm until
// their creator removes them.
//
// A named segment appears complete or not at all: it is made without a name, filled in, and then linked. Its first page
// records who made it, so that segments of dead processes can be told from live ones.
//
// Threads: a Segment belongs to one thread at a time; the memory it maps is anybody's.
// Elsewhere: many blocks in one segment (arena.hpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace laxity {

/// Where a process finds memory that another one offers; plain values, to be sent as they are.
struct SegmentAddress {
  std::int64_t pid = 0;
  std::int64_t descriptor = -1;
  std::uint64_t device = 0, inode = 0;  ///< tell it from another file under that number
  std::uint64_t bytes = 0;
};

/// Maps memory for as long as it lives; all zeros at first, page-aligned. Move-only; empty when default-constructed.
///
/// Pages are given only when first touched, by the NUMA node of the thread that touches them. Private and shared
/// segments may therefore be reserved larger than the machine's memory; named segments are allocated whole at creation,
/// because /dev/shm is small and a touch that finds it full kills the process.
class Segment {
 public:
  Segment() = default;
  Segment(Segment&& other) noexcept { swap(other); }
  Segment& operator=(Segment&& other) noexcept {
    Segment(std::move(other)).swap(*this);
    return *this;
  }
  /// Unmaps; in the process that created a named segment, also removes the name. Others that have it mapped keep it.
  ~Segment();

  /// Memory for the threads of this process, of at least `bytes` > 0 bytes. Throws SystemError.
  [[nodiscard]] static Segment private_memory(std::size_t bytes);

  /// Memory that processes forked from here on share. Throws SystemError.
  [[nodiscard]] static Segment shared(std::size_t bytes);

  /// Memory that processes of this user attach to by name: letters, digits, '-', '_' and '.', at most 64. Throws
  /// UsageError if the name is malformed or taken, SystemError if /dev/shm has no room.
  [[nodiscard]] static Segment create_named(const std::string& name, std::size_t bytes);

  /// Attaches to a named segment of this user. Throws SystemError if there is none, Error if it is not one of ours.
  [[nodiscard]] static Segment open_named(const std::string& name);

  /// Memory that another process of this user on this host offers. Throws SystemError if it cannot be opened, Error if
  /// what is there is something else: that process is gone, or lives in another container.
  [[nodiscard]] static Segment join(const SegmentAddress& address);

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// What was asked for at creation, bytes.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  friend class SegmentOffer;
  static Segment map_shared(int descriptor, std::size_t bytes);
  void swap(Segment& other) noexcept;

  std::byte* mapping_ = nullptr;  // what munmap takes: data_, or the owner's page before it
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::string path_;       // in /dev/shm; empty unless this object removes it
  pid_t creator_pid_ = 0;  // children that inherit this object do not remove it
};

/// Shared memory held open for processes of this user on this host to join, for as long as the offer lives.
class SegmentOffer {
 public:
  /// Throws SystemError.
  explicit SegmentOffer(std::size_t bytes);
  SegmentOffer(const SegmentOffer&) = delete;
  SegmentOffer& operator=(const SegmentOffer&) = delete;
  ~SegmentOffer();

  /// What others pass to Segment::join().
  [[nodiscard]] SegmentAddress address() const;
  /// The memory, here. It outlives the offer.
  [[nodiscard]] Segment map() const;

 private:
  int descriptor_;
  std::size_t bytes_;
};

/// A named segment found in /dev/shm.
struct NamedSegment {
  std::string name;
  std::size_t bytes;   ///< as asked for at creation
  pid_t owner;         ///< the process that created it
  bool owner_is_gone;  ///< no process of that number that started at that time runs any more
};

/// The named segments of this user, by name. Throws SystemError if /dev/shm cannot be read.
[[nodiscard]] std::vector<NamedSegment> list_named_segments();

/// Removes those whose owner is gone and returns them. Throws SystemError if /dev/shm cannot be read.
std::vector<NamedSegment> remove_stale_segments();

}  // namespace laxity
