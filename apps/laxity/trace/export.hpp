// laxity trace export: writes a trace as a table, as trace events for Perfetto, as OTF2, as arrival patterns, or as a
// schedule.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace laxity::cli {

struct TraceExport {
  std::filesystem::path directory;      ///< run directory, or folder of trace files
  std::string format = "csv";           ///< csv, json, otf2, pattern, goal or goal-binary
  std::string output;                   ///< file, or folder of otf2 and of several patterns; standard output if empty
  std::string collective;               ///< of patterns; the one with the most time if empty
  std::string communicator;             ///< of patterns, "world" or "comm 1"; the one with the most time if empty
  std::string per = "application";      ///< one pattern per application, call or site
  std::vector<std::string> algorithms;  ///< of schedules, as in "allreduce=ring"
};

/// Throws UsageError if the trace has no such calls, and SystemError naming a file that cannot be written.
void export_trace(const TraceExport& options);

}  // namespace laxity::cli
