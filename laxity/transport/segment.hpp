// Memory that workers share: threads, forked processes, or processes that attach.
//
// There are three kinds. Private memory is for the threads of one process. Shared memory is a sealed memfd: forked
// workers inherit the mapping, and processes that receive its address (SegmentOffer) join it; it has no name, so
// nothing is left behind when processes die. Named segments are for processes that attach later; they exist in /dev/shm
// until their creator removes them.
//
// A named segment appears complete or not at all: it is made without a name, initialized, and then linked. Its first
// page records its creator, so that segments of dead processes can be recognized.
//
// Threads: a Segment belongs to one thread at a time; the memory it maps may be used by all.
// Elsewhere: many blocks in one segment (arena.hpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace laxity {

/// The address at which a process finds memory that another one offers; plain values that can be sent.
struct SegmentAddress {
  std::int64_t pid = 0;
  std::int64_t descriptor = -1;
  std::uint64_t device = 0, inode = 0;  ///< to detect another file under that descriptor
  std::uint64_t bytes = 0;
};

/// Owns a mapping of memory: zeroed at first, page-aligned. Move-only; empty when default-constructed.
///
/// Pages are allocated when first touched, on the NUMA node of the thread that touches them. Private and shared
/// segments may therefore be larger than the memory of the host; named segments are allocated at creation, because
/// /dev/shm is small and touching a page when it is full kills the process.
class Segment {
 public:
  Segment() = default;
  Segment(Segment&& other) noexcept { swap(other); }
  Segment& operator=(Segment&& other) noexcept {
    Segment(std::move(other)).swap(*this);
    return *this;
  }
  /// Unmaps; in the process that created a named segment, also removes the name. Processes that have it mapped keep it.
  ~Segment();

  /// Memory for the threads of this process, of at least `bytes` > 0 bytes. Throws SystemError.
  [[nodiscard]] static Segment private_memory(std::size_t bytes);

  /// Memory shared with processes that are forked from now on. Throws SystemError.
  [[nodiscard]] static Segment shared(std::size_t bytes);

  /// Memory that processes of this user attach to by name: letters, digits, '-', '_' and '.', at most 64. Throws
  /// UsageError if the name is malformed or taken, SystemError if /dev/shm has no room.
  [[nodiscard]] static Segment create_named(const std::string& name, std::size_t bytes);

  /// Attaches to a named segment of this user. Throws SystemError if there is none, Error if it has another format.
  [[nodiscard]] static Segment open_named(const std::string& name);

  /// Maps memory that another process of this user on this host offers. Throws SystemError if it cannot be opened,
  /// Error if another file is found: the process is gone, or runs in another container.
  [[nodiscard]] static Segment join(const SegmentAddress& address);

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// The size requested at creation, bytes.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  friend class SegmentOffer;
  static Segment map_shared(int descriptor, std::size_t bytes);
  void swap(Segment& other) noexcept;

  std::byte* mapping_ = nullptr;  // argument of munmap: data_, or the owner's page before it
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::string path_;       // in /dev/shm; empty unless this object removes it
  pid_t creator_pid_ = 0;  // children that inherit this object do not remove it
};

/// Shared memory that processes of this user on this host can join for as long as this object exists.
class SegmentOffer {
 public:
  /// Throws SystemError.
  explicit SegmentOffer(std::size_t bytes);
  SegmentOffer(const SegmentOffer&) = delete;
  SegmentOffer& operator=(const SegmentOffer&) = delete;
  ~SegmentOffer();

  /// The argument of Segment::join() for other processes.
  [[nodiscard]] SegmentAddress address() const;
  /// Maps the memory in this process. The mapping may outlive the offer.
  [[nodiscard]] Segment map() const;

 private:
  int descriptor_;
  std::size_t bytes_;
};

/// A named segment found in /dev/shm.
struct NamedSegment {
  std::string name;
  std::size_t bytes;   ///< as requested at creation
  pid_t owner;         ///< the process that created it
  bool owner_is_gone;  ///< the process with that number and start time no longer runs
};

/// The named segments of this user, by name. Throws SystemError if /dev/shm cannot be read.
[[nodiscard]] std::vector<NamedSegment> list_named_segments();

/// Removes those whose owner is gone and returns them. Throws SystemError if /dev/shm cannot be read.
std::vector<NamedSegment> remove_stale_segments();

}  // namespace laxity
