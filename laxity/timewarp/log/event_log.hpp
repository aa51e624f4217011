// What a run committed, event by event, in files that another run can be compared with.
//
// A log is a directory with a file for each worker. Workers commit in no common order, so a file is a list of blocks,
// each sorted by key; a reader merges the blocks of all files on the way. Whoever compares two logs holds a few records
// of each block, however long the run was.
//
// Format of a file: LogHeader; then blocks, each a count (64 bits) and so many LoggedEvent, in the byte order of the
// machine. A file that ends within a block was cut off and is refused.
// Invariants: keys of one log differ and come in increasing order. Threads: a writer belongs to one worker.
// Elsewhere: the comparison (event_log_difference.hpp); who writes (optimistic_worker.hpp, sequential.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/log/digest.hpp"

namespace laxity::timewarp {

struct LoggedEvent {
  Key key;
  std::uint64_t payload = 0;  ///< a hash of it
  std::uint64_t digest = 0;   ///< of the event and the state after it (digest.hpp)
  LpId receiver = 0;
  std::uint32_t unused = 0;

  friend bool operator==(const LoggedEvent&, const LoggedEvent&) = default;
};
static_assert(sizeof(LoggedEvent) == 40);

/// What one must know to read keys.
struct LogHeader {
  std::array<char, 16> magic = {'l', 'a', 'x', 'i', 't', 'y', ' ', 'e', 'v', 'e', 'n', 't', 's', ' ', '1', '\n'};
  std::uint64_t logical_processes = 0;
  std::uint64_t whole_times = 0;  ///< 1: times are std::int64_t; 0: double

  friend bool operator==(const LogHeader&, const LogHeader&) = default;
};

template <Model M>
[[nodiscard]] LogHeader log_header_of(const Bounds<M>& bounds) noexcept {
  return {.logical_processes = bounds.logical_processes, .whole_times = std::is_integral_v<typename M::Time>};
}

/// The entry of an event whose digest is known.
template <Model M>
[[nodiscard]] LoggedEvent logged(const M& model, const EventView<M>& event, std::uint64_t digest) noexcept {
  return {event.key, detail::mixed_value(model, 0, event.payload), digest, event.receiver, 0};
}

class EventLogWriter {
 public:
  /// Creates `directory` if need be, and in it the file of this worker. Throws UsageError if there is one already,
  /// SystemError.
  EventLogWriter(const std::filesystem::path& directory, int worker, const LogHeader& header);

  /// Throws SystemError naming the file, every so often: a block is written at a time.
  void add(const LoggedEvent& event) {
    block_.push_back(event);
    if (block_.size() == block_capacity) flush();
  }
  /// Writes the last block. Throws SystemError naming the file.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void flush();
  void write(const void* data, std::size_t bytes);

  static constexpr std::size_t block_capacity = std::size_t{1} << 16;  // 2.5 MB: few blocks, little memory

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::vector<LoggedEvent> block_;
};

class EventLogReader {
 public:
  /// Opens a log. Throws UsageError if the directory has none, Error naming file and byte if a file is damaged or is of
  /// another model than the others, SystemError.
  explicit EventLogReader(const std::filesystem::path& directory);
  ~EventLogReader();
  EventLogReader(const EventLogReader&) = delete;
  EventLogReader& operator=(const EventLogReader&) = delete;

  [[nodiscard]] const LogHeader& header() const noexcept { return header_; }

  /// The event with the next key; none at the end. Throws Error naming file and byte if events are out of order or come
  /// twice.
  [[nodiscard]] std::optional<LoggedEvent> next();

 private:
  struct File;
  struct Block;

  void open_file(const std::filesystem::path& path);
  void refill(Block& block) const;

  LogHeader header_;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<Block> blocks_;  // a heap by their first unread key; those that are read are gone
  std::optional<Key> last_;
};

}  // namespace laxity::timewarp
