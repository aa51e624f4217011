// A file that grows by blocks, the last of which is memory-mapped. Published records survive if the process is killed
// at any moment, and no record needs a system call.
//
// Invariants: one block is mapped at a time. The space of a block is allocated before it is mapped, so that a full disk
// ends the recording with an error and never with a signal. Threads: one at a time. A forked child must not use the
// file.
// Elsewhere: the records (record.hpp) and their encoding (codec.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/trace/file/codec.hpp"

namespace laxity::trace {

class BlockFile {
 public:
  BlockFile() = default;
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;
  ~BlockFile() { close(); }

  /// Creates the file, which must not exist. False on failure; error() has the reason.
  [[nodiscard]] bool create(const char* path) noexcept;

  /// Space for a record of at most `bytes`, in the current block or a new one; null if nothing more can be written.
  [[nodiscard]] unsigned char* room(std::size_t bytes, std::int64_t now_ns) noexcept {
    if (at_ == nullptr || static_cast<std::size_t>(end_ - at_) < bytes) {
      if (!next_block(now_ns)) return nullptr;
    }
    return at_;
  }

  /// Publishes the record that was written at room() and ends at `end`.
  void publish(unsigned char* end) noexcept;

  /// The previous time in the block.
  [[nodiscard]] std::int64_t last_ns() const noexcept { return last_ns_; }
  void set_last_ns(std::int64_t time_ns) noexcept { last_ns_ = time_ns; }

  /// Truncates the file after the last record and closes it.
  void close() noexcept;

  /// The errno of the first failure, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  bool next_block(std::int64_t now_ns) noexcept;
  bool fail(int error) noexcept;
  void unmap() noexcept;

  int file_ = -1;
  int error_ = 0;
  std::uint32_t blocks_ = 0;
  BlockHeader* header_ = nullptr;
  unsigned char* at_ = nullptr;
  unsigned char* end_ = nullptr;
  std::int64_t last_ns_ = 0;
};

}  // namespace laxity::trace
