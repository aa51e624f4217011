// Exports traces as a table of all calls, and in the trace event format of Perfetto and Chrome.
//
// Rows and events are written one by one, so memory does not grow with the trace. The caller checks the stream.
// Elsewhere: OTF2 (the Python package), arrival patterns (arrival_patterns.hpp).
#pragma once

#include <iosfwd>
#include <vector>

#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

/// One row per call and process; docs/trace_format.md describes the columns. Times are ns since the origin of the first
/// job.
void write_csv(const std::vector<Job>& jobs, std::ostream& out);

/// JSON of the trace event format. A job is a process of the viewer, and a thread of an MPI process is a thread.
void write_chrome_json(const std::vector<Job>& jobs, std::ostream& out);

}  // namespace laxity::trace
