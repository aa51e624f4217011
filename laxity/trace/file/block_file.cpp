#include "laxity/trace/file/block_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace laxity::trace {

bool BlockFile::fail(int error) noexcept {
  error_ = error;
  close();
  return false;
}

bool BlockFile::create(const char* path) noexcept {
  file_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  return file_ >= 0 || fail(errno);
}

void BlockFile::publish(unsigned char* end) noexcept {
  at_ = end;
  const auto used = static_cast<std::uint32_t>(end - reinterpret_cast<unsigned char*>(header_ + 1));
  // Release: a process that maps the growing file and reads this count sees the whole record.
  std::atomic_ref(header_->used).store(used, std::memory_order_release);
}

bool BlockFile::next_block(std::int64_t now_ns) noexcept {
  if (file_ < 0) return false;
  unmap();
  const auto offset = static_cast<off_t>(blocks_) * static_cast<off_t>(block_bytes);
  constexpr auto size = static_cast<off_t>(block_bytes);
  // Beyond the file size limit the kernel would send SIGXFSZ, which terminates the program.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(offset + size) > limit.rlim_cur) {
    return fail(EFBIG);
  }
  if (const int error = ::posix_fallocate(file_, offset, size); error != 0) return fail(error);
  void* block = ::mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, offset);
  if (block == MAP_FAILED) return fail(errno);
  header_ = static_cast<BlockHeader*>(block);
  header_->version = format_version;
  header_->block_bytes = block_bytes;
  header_->index = blocks_++;
  header_->used = 0;
  header_->base_ns = now_ns;
  std::memcpy(header_->magic, magic, sizeof magic);
  at_ = reinterpret_cast<unsigned char*>(header_ + 1);
  end_ = static_cast<unsigned char*>(block) + block_bytes;
  last_ns_ = now_ns;
  return true;
}

void BlockFile::unmap() noexcept {
  if (header_ != nullptr) ::munmap(header_, block_bytes);
  header_ = nullptr;
  at_ = end_ = nullptr;
}

void BlockFile::close() noexcept {
  if (file_ < 0) return;
  off_t size = static_cast<off_t>(blocks_) * static_cast<off_t>(block_bytes);
  if (at_ != nullptr) size -= end_ - at_;
  unmap();
  if (::ftruncate(file_, size) != 0 && error_ == 0) error_ = errno;
  ::close(file_);
  file_ = -1;
}

}  // namespace laxity::trace
