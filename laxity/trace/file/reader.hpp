// Reads the trace file of one process, also of a process that is running or was killed.
//
// Errors: any input gives a trace or an error with the position of the byte. Memory: about ten bytes per byte of the file.
// Threads: pure functions. Elsewhere: joining the processes of a job (laxity/trace/analysis/job.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

struct ProcessTrace {
  Process process;
  std::vector<ClockPoint> clock;            ///< after MPI_Init, and before MPI_Finalize if it was reached
  std::vector<Setting> settings;            ///< environment variables at the return of MPI_Init
  std::vector<Communicator> communicators;  ///< the first is MPI_COMM_WORLD
  std::vector<CallSite> sites;
  std::vector<Call> calls;  ///< in the order of recording, with their completions
  std::optional<End> end;   ///< empty if the process did not reach MPI_Finalize

  /// The last time in the file, ns of the own clock.
  [[nodiscard]] std::int64_t last_ns() const noexcept;
};

/// Throws Error naming file and byte if this is not a valid trace; SystemError if the file cannot be read.
[[nodiscard]] ProcessTrace read_process_trace(const std::string& path);

/// Parses the bytes of a trace file; `name` is its name in errors.
[[nodiscard]] ProcessTrace parse_process_trace(std::span<const unsigned char> bytes, const std::string& name);

}  // namespace laxity::trace
