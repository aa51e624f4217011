#include "laxity/launch/job.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Directory open_directory(const std::string& path) { return {::opendir(path.c_str()), &::closedir}; }

std::string path_of(std::int64_t pid, std::int64_t descriptor) {
  return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string command_of_this_process() {
  std::ifstream file("/proc/self/cmdline");
  std::string command{std::istreambuf_iterator<char>(file), {}};
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  return command;
}

// True for a memory file without a name, as Segment makes them; without memfd its name was removed at once.
bool may_be_ours(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length <= 0) return false;
  const std::string_view name(target.data(), static_cast<std::size_t>(length));
  return name.starts_with("/memfd:laxity") || name.starts_with("/dev/shm/laxity.nameless.");
}

bool is_the_file(const struct stat& status, const SegmentAddress& address) noexcept {
  return status.st_dev == address.device && status.st_ino == address.inode &&
         static_cast<std::uint64_t>(status.st_size) == address.bytes;
}

// The file may have any content, so every value is checked before it is used.
std::optional<JobNotice> read_notice(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  JobNotice notice;
  const bool whole = ::pread(file, &notice, sizeof notice, 0) == static_cast<ssize_t>(sizeof notice);
  ::close(file);
  if (!whole || notice.magic != JobNotice::right_magic) return std::nullopt;
  for (char* const end : {std::end(notice.host), std::end(notice.name), std::end(notice.command)}) end[-1] = '\0';
  if (notice.workers < 1 || notice.workers > CounterTable::max_workers) return std::nullopt;
  return notice;
}

template <std::size_t n>
void copy_text(char (&to)[n], const std::string& text) noexcept {
  std::memset(to, 0, n);
  std::memcpy(to, text.data(), std::min(text.size(), n - 1));
}

std::byte* map_read_only(const SegmentAddress& address) {
  const int file = ::open(path_of(address.pid, address.descriptor).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat status {};
  void* place = MAP_FAILED;
  if (::fstat(file, &status) == 0 && is_the_file(status, address))
    place = ::mmap(nullptr, address.bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
  ::close(file);
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}

}  // namespace

std::string JobNotice::shape() const {
  std::string of_threads = std::to_string(threads) + 't';
  if (processes == 0) return of_threads;
  const std::string of_processes = std::to_string(processes) + (hosts != 0 ? 'r' : 'p');
  return threads == 1 ? of_processes : of_processes + of_threads;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string job_name(const std::string& host, std::int64_t pid) { return host + ':' + std::to_string(pid); }

void PublishedJob::publish(JobNotice notice) {
  notice.magic = 0;
  notice.memory = memory_.address();
  notice.pid = ::getpid();
  notice.started_ns = SteadyClock{}.now_ns();
  copy_text(notice.host, host_name());
  if (notice.name[0] == '\0') copy_text(notice.name, job_name(host_name(), ::getpid()));
  copy_text(notice.command, command_of_this_process());
  const Segment page = notice_.map();
  auto* shown = new (page.data()) JobNotice(notice);
  std::atomic_ref(shown->magic).store(JobNotice::right_magic, std::memory_order_release);
}

std::vector<Job> Job::find_all() {
  std::vector<Job> jobs;
  std::set<std::uint64_t> known;  // forked workers have the files of their supervisor open too
  const Directory processes = open_directory("/proc");
  while (const dirent* process = processes != nullptr ? ::readdir(processes.get()) : nullptr) {
    const auto pid = number_in(process->d_name);
    if (!pid) continue;
    const Directory descriptors = open_directory("/proc/" + std::to_string(*pid) + "/fd");
    if (descriptors == nullptr) continue;  // ended, or of another user
    while (const dirent* entry = ::readdir(descriptors.get())) {
      const auto descriptor = number_in(entry->d_name);
      if (!descriptor || !may_be_ours(path_of(*pid, *descriptor))) continue;
      const std::optional<JobNotice> notice = read_notice(path_of(*pid, *descriptor));
      if (!notice || notice->pid != *pid || !known.insert(notice->memory.inode).second) continue;
      std::byte* mapping = map_read_only(notice->memory);
      if (mapping == nullptr) continue;
      Job job(*notice, mapping);
      if (CounterTable::fits({mapping, notice->memory.bytes}, notice->table_offset, notice->workers))
        jobs.push_back(std::move(job));
    }
  }
  std::ranges::sort(jobs, {}, [](const Job& job) { return job.notice().started_ns; });
  return jobs;
}

CounterTable Job::table() const noexcept { return CounterTable::attach(mapping_ + notice_.table_offset); }

bool Job::is_alive() const {
  struct stat status {};
  const std::string path = path_of(notice_.memory.pid, notice_.memory.descriptor);
  return ::stat(path.c_str(), &status) == 0 && is_the_file(status, notice_.memory);
}

Job::Job(Job&& other) noexcept : notice_(other.notice_), mapping_(std::exchange(other.mapping_, nullptr)) {}

Job& Job::operator=(Job&& other) noexcept {
  std::swap(notice_, other.notice_);
  std::swap(mapping_, other.mapping_);
  return *this;
}

Job::~Job() {
  if (mapping_ != nullptr) ::munmap(mapping_, notice_.memory.bytes);
}

}  // namespace laxity
