// A file that grows by blocks, the last of which is mapped: what was written stays in the file when the process is
// killed at any moment, without a system call per record.
//
// Invariants: one block of memory is mapped at a time. The space of a block is reserved before it is mapped, so a full
// disk ends the recording with an error and never with a signal. Threads: one at a time. After a fork the child must not
// use it. Elsewhere: what the records are (codec.hpp).
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

  /// Creates the file, which must not exist. False: it could not; error() says why.
  [[nodiscard]] bool create(const char* path) noexcept;

  /// Room for a record of at most `bytes`, in the block at hand or a new one; null if nothing more can be written.
  [[nodiscard]] unsigned char* room(std::size_t bytes, std::int64_t now_ns) noexcept {
    if (at_ == nullptr || static_cast<std::size_t>(end_ - at_) < bytes) {
      if (!next_block(now_ns)) return nullptr;
    }
    return at_;
  }

  /// The record written at room() ends here. A reader of the file sees it from now on.
  void publish(unsigned char* end) noexcept;

  /// The last time in the block, which the next one is a difference to.
  [[nodiscard]] std::int64_t last_ns() const noexcept { return last_ns_; }
  void set_last_ns(std::int64_t time_ns) noexcept { last_ns_ = time_ns; }

  /// Cuts the file off behind the last record. Nothing can be written any more.
  void close() noexcept;

  /// errno of what failed, else 0.
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
