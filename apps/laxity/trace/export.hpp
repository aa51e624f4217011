// laxity trace export: a trace as a table, for Perfetto, as OTF2, as arrival patterns.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

struct TraceExport {
  std::filesystem::path directory;  ///< of the run, or of the trace files
  std::string format = "csv";       ///< csv, json, otf2 or pattern
  std::string output;               ///< file (otf2, several patterns: folder); standard output if empty
  std::string collective;           ///< patterns: of this one; that which takes most time if empty
  std::string communicator;         ///< patterns: on this one, "world" or "comm 1"; as above if empty
  std::string per = "application";  ///< patterns: application, call or site
};

/// Throws UsageError for what is not in the trace; SystemError naming a file that cannot be written.
void export_trace(const TraceExport& options);

/// The folder of trace files of a run directory, or the directory itself. Throws UsageError if there are none.
[[nodiscard]] std::filesystem::path trace_files_of(const std::filesystem::path& directory);

/// The job with the most calls: others are usually small programs in the same script. `jobs` is not empty.
[[nodiscard]] const trace::Job& largest(const std::vector<trace::Job>& jobs);

}  // namespace laxity::cli
