#include "python/bindings/commit_log.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "laxity/error.hpp"

namespace laxity::python {
namespace {

struct Block {
  std::uint64_t log_number = 0;
  std::uint64_t next = 0;
  std::uint64_t end = 0;
};

thread_local Block block;
std::atomic<std::uint64_t> logs{0};

constexpr std::size_t head_bytes = 64;  // the counter has a cache line of its own

}  // namespace

CommitLog::CommitLog(std::size_t record_bytes)
    : row_bytes_(sizeof(Head) + (record_bytes + 7) / 8 * 8), log_number_(++logs) {
  // Addresses are reserved for more rows than any machine holds; pages are taken when they are written.
  for (bytes_ = std::size_t{1} << 40; bytes_ >= std::size_t{1} << 20; bytes_ /= 2) {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    memory_ = static_cast<std::byte*>(memory);
    taken_ = new (memory_) std::atomic<std::uint64_t>(0);
    rows_ = memory_ + head_bytes;
    capacity_ = (bytes_ - head_bytes) / row_bytes_ / rows_of_block * rows_of_block;
    return;
  }
  throw SystemError("mmap(" + std::to_string(bytes_) + " bytes for the records of commits)", errno);
}

CommitLog::~CommitLog() { ::munmap(memory_, bytes_); }

std::byte* CommitLog::append(std::uint32_t process, double time) noexcept {
  if (block.log_number != log_number_ || block.next == block.end) {
    const std::uint64_t first = taken_->fetch_add(rows_of_block, std::memory_order_relaxed);
    if (first >= capacity_) return nullptr;
    block = {log_number_, first, first + rows_of_block};
  }
  std::byte* taken = row(block.next++);
  const Head head{process + 1, time};
  std::memcpy(taken, &head, sizeof head);
  return taken + sizeof head;
}

bool CommitLog::is_full() const noexcept { return taken_->load(std::memory_order_relaxed) > capacity_; }

void CommitLog::for_each(const std::function<void(const std::byte* row)>& see) const {
  const std::uint64_t end = std::min(taken_->load(std::memory_order_relaxed), capacity_);
  for (std::uint64_t number = 0; number != end; ++number) {
    Head head{};
    std::memcpy(&head, row(number), sizeof head);
    if (head.process_plus_one != 0) see(row(number));
  }
}

}  // namespace laxity::python
