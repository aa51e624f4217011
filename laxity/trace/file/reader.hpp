// Reads what one process wrote, also while it runs and after it was killed.
//
// Any bytes give a trace or an error that names the byte. Memory: at most some ten bytes per byte of the file. Threads:
// pure functions. Elsewhere: several processes together (job.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

struct ProcessTrace {
  Process process;
  std::vector<ClockPoint> clock;            ///< in the order of their times: after MPI_Init, before MPI_Finalize
  std::vector<Setting> settings;            ///< of algorithms, when MPI_Init had returned
  std::vector<Communicator> communicators;  ///< the first is MPI_COMM_WORLD
  std::vector<CallSite> sites;
  std::vector<Call> calls;  ///< in the order in which they were recorded; completions joined to them
  std::optional<End> end;   ///< nothing: the process did not come to MPI_Finalize

  /// The last moment that the file tells of, ns of the own clock.
  [[nodiscard]] std::int64_t last_ns() const noexcept;
};

/// Throws Error naming file and byte if this is no trace; SystemError if the file cannot be read.
[[nodiscard]] ProcessTrace read_process_trace(const std::string& path);

/// The same from bytes in memory; `name` stands in errors where the path would.
[[nodiscard]] ProcessTrace parse_process_trace(std::span<const unsigned char> bytes, const std::string& name);

}  // namespace laxity::trace
