// Traces for other tools: a table of all calls, and the trace format that Perfetto and Chrome show.
//
// Rows and events are written one by one; memory does not grow with the trace. Throws SystemError naming the file if it
// cannot be written whole. Elsewhere: OTF2 (python/src/laxity/otf2_export.py), arrival patterns (arrival.hpp).
#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

/// A row per call and process; the columns are in docs/trace_format.md. Times are ns since the first job's origin.
void write_csv(const std::vector<Job>& jobs, std::ostream& out);

/// The JSON of Chrome's trace viewer: a line per process. Communicator, bytes and so on are arguments of an event.
void write_chrome_json(const std::vector<Job>& jobs, std::ostream& out);

}  // namespace laxity::trace
