// Reads the trace file of one process, call by call, also of a process that is running or was killed.
//
// Errors: any input gives calls or an Error with the position of the byte. Memory: one block, the definitions, and the
// started calls that are not completed. No file stays open between two blocks, so a job may have more processes than a
// process may have open files.
// Threads: one per reader. Elsewhere: joining the processes of a job (laxity/trace/analysis/job.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "laxity/trace/file/codec.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

/// What a trace file says besides its calls.
struct ProcessDefinitions {
  Process process;
  std::vector<ClockPoint> clock;            ///< after MPI_Init, and before MPI_Finalize if it was reached
  std::vector<Setting> settings;            ///< environment variables at the return of MPI_Init
  std::vector<Communicator> communicators;  ///< the first is MPI_COMM_WORLD
  std::vector<CallSite> sites;
  std::optional<End> end;     ///< empty if the process did not reach MPI_Finalize
  std::uint64_t calls = 0;    ///< number of call records
  std::uint32_t threads = 1;  ///< that called collectives
  std::int64_t last_ns = 0;   ///< the last time in the file, ns of the own clock
};

class TraceReader {
 public:
  /// Throws SystemError if the file cannot be read.
  explicit TraceReader(std::string path);
  /// Reads a file in memory; `name` is its name in errors.
  TraceReader(std::span<const unsigned char> bytes, std::string name);

  /// The next call, with its completion: blocking calls in the order of their returns, others in the order of their
  /// completions. Those without a completion come last. False at the end. Throws Error naming file and byte if this is
  /// not a valid trace.
  [[nodiscard]] bool next(Call& call);
  /// Reads all definitions and returns them. No call can be read afterwards. Throws as next() does.
  [[nodiscard]] ProcessDefinitions read_definitions();
  /// The definitions before the last call that was read.
  [[nodiscard]] const ProcessDefinitions& definitions() const noexcept { return definitions_; }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const;
  [[nodiscard]] std::span<const unsigned char> bytes_at(std::size_t offset, std::size_t size);
  bool next_block();
  /// The tag of the next record, whose content is in call_, completion_ or definitions_. Empty at the end of the file.
  std::optional<Tag> next_record();
  const char* parse_record(Tag tag);
  void parse_process();
  const char* parse_communicator();
  const char* parse_call();
  std::int64_t time() noexcept;
  std::uint32_t thread();
  bool complete(Call& call);

  std::string name_;
  bool in_memory_ = false;
  std::span<const unsigned char> memory_;
  std::vector<unsigned char> buffer_;

  std::size_t block_bytes_ = 0, block_begin_ = 0, next_block_begin_ = 0;
  std::uint32_t version_ = format_version, blocks_ = 0;
  const unsigned char* block_ = nullptr;  // its first byte in memory
  Decoder in_{nullptr, nullptr};
  std::int64_t time_ns_ = 0;
  bool has_process_ = false;

  ProcessDefinitions definitions_;
  Call call_;
  Completion completion_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Call> open_;  // started calls without completion
};

}  // namespace laxity::trace
