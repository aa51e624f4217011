// The rows that a model's commit function fills, one for each committed event, by threads and forked processes.
//
// Rows lie in memory that forked processes share. Each thread takes them in blocks, so that a row costs an atomic
// operation once in a block. Within a logical process, which one thread handles, rows lie in the order of commits.
//
//   CommitLog log(sizeof(struct row));
//   ... in any worker: void* row = log.append(process, time);  // zeros, to be filled
//   log.for_each(copy);                                        // after the run
//
// Invariant: a row whose process is not 0 was taken; the number there is one more than the process.
// Threads: append() by all workers at the same time, for_each() by one after the workers have ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace laxity::python {

class CommitLog {
 public:
  /// What precedes the bytes of the model in a row.
  struct Head {
    std::uint32_t process_plus_one;
    double time;
  };

  /// `record_bytes`: of a row, what the model writes. Throws SystemError if not even 1 MiB of addresses can be had.
  explicit CommitLog(std::size_t record_bytes);
  CommitLog(const CommitLog&) = delete;
  CommitLog& operator=(const CommitLog&) = delete;
  ~CommitLog();

  /// A new row: its bytes of the model, which are zeros, or nullptr if there is no memory for another one.
  [[nodiscard]] std::byte* append(std::uint32_t process, double time) noexcept;

  /// Whether append() has returned nullptr.
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] std::size_t row_bytes() const noexcept { return row_bytes_; }
  /// Calls `see` with every row that was taken, in the order of memory.
  void for_each(const std::function<void(const std::byte* row)>& see) const;

 private:
  [[nodiscard]] std::byte* row(std::uint64_t number) const noexcept { return rows_ + number * row_bytes_; }

  static constexpr std::uint64_t rows_of_block = 256;

  std::size_t row_bytes_;
  std::uint64_t log_number_;  // of this process; tells threads that a block which they hold is of an earlier log
  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
  std::atomic<std::uint64_t>* taken_ = nullptr;  // rows, in whole blocks; at the start of the memory
  std::byte* rows_ = nullptr;
  std::uint64_t capacity_ = 0;  // rows
};

}  // namespace laxity::python
