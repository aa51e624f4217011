// The event log: the committed events of a run, in files that can be compared with those of another run.
//
// A log is a directory with a file for each worker. Workers commit in no common order, so a file is a list of blocks,
// each sorted by key, and a reader merges the blocks of all files. A reader holds a few records of each block in
// memory, independent of the length of the run.
//
// Format of a file: LogHeader; then blocks, each a count (64 bits) and that number of LoggedEvent, in native byte
// order. A file that ends within a block is truncated and refused.
// Invariants: the keys of a log differ; a reader returns them in increasing order. Threads: a writer belongs to one
// worker.
// Elsewhere: the comparison of logs (event_log_difference.hpp); writing (event_committer.hpp, sequential.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/model.hpp"

namespace laxity::timewarp {

struct LoggedEvent {
  Key key;
  std::uint64_t payload = 0;  ///< a hash of the payload
  std::uint64_t digest = 0;   ///< of the event and the state after it (digest.hpp)
  LpId receiver = 0;
  std::uint32_t unused = 0;

  friend bool operator==(const LoggedEvent&, const LoggedEvent&) = default;
};
static_assert(sizeof(LoggedEvent) == 40);

/// Identifies the format, and the model as far as it is needed to read keys.
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

/// The log entry of an event with this digest.
template <Model M>
[[nodiscard]] LoggedEvent logged(const M& model, const EventView<M>& event, std::uint64_t digest) noexcept {
  return {event.key, detail::mixed_value(model, 0, event.payload), digest, event.receiver, 0};
}

class EventLogWriter {
 public:
  /// Creates `directory` if it does not exist, and in it the file of this worker. Throws UsageError if the file exists,
  /// SystemError.
  EventLogWriter(const std::filesystem::path& directory, int worker, const LogHeader& header);

  /// Adds an event; writes the block if it is full. Throws SystemError naming the file.
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

  static constexpr std::size_t block_capacity = std::size_t{1} << 16;  // events; 2.5 MB

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::vector<LoggedEvent> block_;
};

class EventLogReader {
 public:
  /// Opens a log. Throws UsageError if the directory has none, Error naming file and byte if a file is damaged or
  /// belongs to another model than the others, SystemError.
  explicit EventLogReader(const std::filesystem::path& directory);
  ~EventLogReader();
  EventLogReader(const EventLogReader&) = delete;
  EventLogReader& operator=(const EventLogReader&) = delete;

  [[nodiscard]] const LogHeader& header() const noexcept { return header_; }

  /// The event with the next key; empty at the end. Throws Error naming file and byte if events are duplicated or out
  /// of order.
  [[nodiscard]] std::optional<LoggedEvent> next();

 private:
  struct File;
  struct Block;

  void open_file(const std::filesystem::path& path);
  void refill(Block& block) const;

  LogHeader header_;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<Block> blocks_;  // blocks with unread events, a heap by their first unread key
  std::optional<Key> last_;
};

}  // namespace laxity::timewarp
