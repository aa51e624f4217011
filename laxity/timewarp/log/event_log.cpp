#include "laxity/timewarp/log/event_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "laxity/error.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::size_t buffered_events = 64;  // of each block: 2.5 kB, 1 MB for a run of 25 million events

std::string file_name(int worker) { return "worker-" + std::to_string(worker) + ".events"; }

[[noreturn]] void damaged(const std::string& path, std::uint64_t byte, const std::string& what) {
  throw Error(path + ", byte " + std::to_string(byte) + ": " + what + "; write the log again");
}

}  // namespace

EventLogWriter::EventLogWriter(const std::filesystem::path& directory, int worker, const LogHeader& header) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) throw SystemError("create directory " + directory.string(), failed.value());
  path_ = (directory / file_name(worker)).string();
  file_.reset(std::fopen(path_.c_str(), "wbx"));
  if (file_ == nullptr && errno == EEXIST)
    throw UsageError(path_ + ": the event log exists already; name another directory");
  if (file_ == nullptr) throw SystemError("open " + path_, errno);
  block_.reserve(block_capacity);
  write(&header, sizeof header);
}

void EventLogWriter::close() {
  flush();
  if (std::fclose(file_.release()) != 0) throw SystemError("close " + path_, errno);
}

void EventLogWriter::flush() {
  if (block_.empty()) return;
  std::ranges::sort(block_, {}, [](const LoggedEvent& event) { return std::pair(event.key.time, event.key.tie); });
  const std::uint64_t count = block_.size();
  write(&count, sizeof count);
  write(block_.data(), block_.size() * sizeof(LoggedEvent));
  block_.clear();
}

void EventLogWriter::write(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_.get()) != bytes) throw SystemError("write " + path_, errno);
}

struct EventLogReader::File {
  std::string path;
  int descriptor = -1;

  File(std::string name, int opened) : path(std::move(name)), descriptor(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor); }

  // Reads `bytes` bytes. Throws SystemError; Error if the file ends before them.
  void read(void* data, std::size_t bytes, std::uint64_t at) const {
    auto* to = static_cast<std::byte*>(data);
    while (bytes > 0) {
      const ssize_t got = ::pread(descriptor, to, bytes, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw SystemError("read " + path, errno);
      if (got == 0) damaged(path, at, "the file is truncated");
      to += got;
      at += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }
};

struct EventLogReader::Block {
  const File* file;
  std::uint64_t at;         // offset of the first event that is not buffered
  std::uint64_t remaining;  // events that are not buffered
  std::vector<LoggedEvent> events{};
  std::size_t used = 0;  // of the buffered events

  [[nodiscard]] const LoggedEvent& front() const noexcept { return events[used]; }
  // The order of std heaps with the least key in front.
  [[nodiscard]] static bool later(const Block& a, const Block& b) noexcept { return b.front().key < a.front().key; }
};

EventLogReader::EventLogReader(const std::filesystem::path& directory) {
  std::error_code failed;
  std::filesystem::directory_iterator entries(directory, failed);
  if (failed) throw UsageError(directory.string() + ": " + failed.message() + "; name the directory of an event log");
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : entries) {
    if (entry.path().extension() == ".events") paths.push_back(entry.path());
  }
  if (paths.empty()) throw UsageError(directory.string() + ": holds no event log");
  std::ranges::sort(paths);
  for (const auto& path : paths) open_file(path);
  std::make_heap(blocks_.begin(), blocks_.end(), Block::later);
}

EventLogReader::~EventLogReader() = default;

void EventLogReader::open_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw SystemError("open " + path.string(), errno);
  files_.push_back(std::make_unique<File>(path.string(), descriptor));
  const File& file = *files_.back();
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw SystemError("stat " + file.path, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  LogHeader header;
  file.read(&header, sizeof header, 0);
  if (header.magic != LogHeader{}.magic || header.logical_processes == 0 || header.whole_times > 1) {
    damaged(file.path, 0, "not an event log of this version");
  }
  if (files_.size() == 1) header_ = header;
  if (header != header_) damaged(file.path, 0, "the model differs from that of " + files_.front()->path);
  for (std::uint64_t at = sizeof header; at < size;) {
    std::uint64_t count = 0;
    file.read(&count, sizeof count, at);
    if (count == 0 || count > (size - at - sizeof count) / sizeof(LoggedEvent)) {
      damaged(file.path, at, "a block of " + std::to_string(count) + " events exceeds the file");
    }
    at += sizeof count;
    blocks_.push_back({&file, at, count});
    refill(blocks_.back());
    at += count * sizeof(LoggedEvent);
  }
}

void EventLogReader::refill(Block& block) const {
  block.events.resize(std::min<std::uint64_t>(block.remaining, buffered_events));
  block.file->read(block.events.data(), block.events.size() * sizeof(LoggedEvent), block.at);
  block.at += block.events.size() * sizeof(LoggedEvent);
  block.remaining -= block.events.size();
  block.used = 0;
}

std::optional<LoggedEvent> EventLogReader::next() {
  if (blocks_.empty()) return std::nullopt;
  std::pop_heap(blocks_.begin(), blocks_.end(), Block::later);
  Block& block = blocks_.back();
  const LoggedEvent event = block.front();
  if (last_ && !(*last_ < event.key)) {
    const std::uint64_t at = block.at - (block.events.size() - block.used) * sizeof(LoggedEvent);
    damaged(block.file->path, at, "an event is duplicated or out of order");
  }
  last_ = event.key;
  if (++block.used == block.events.size() && block.remaining > 0) refill(block);
  if (block.used == block.events.size()) {
    blocks_.pop_back();
  } else {
    std::push_heap(blocks_.begin(), blocks_.end(), Block::later);
  }
  return event;
}

}  // namespace laxity::timewarp
