// The collectives and message sizes of a traced application, and how far apart its processes arrive.
//
// Threads: pure functions. Elsewhere: the trace (laxity/trace/analysis/job.hpp), which calls can
// be compared with the benchmark (laxity/trace/analysis/conditions.hpp).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::cli {

/// The calls of one collective with one message size on communicators of one size.
struct TracedSize {
  collective::Collective collective = collective::Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;           ///< as in the benchmark
  std::size_t calls = 0;           ///< with those of the start-up
  std::size_t start_up_calls = 0;  ///< they have no part in the skews
  double median_skew_us = 0, max_skew_us = 0;
  std::size_t measured_bytes = 0;  ///< the size that stands for this one in the benchmark
};

/// What a trace says about the calls that the benchmark can measure, and about the others.
struct TracedApplication {
  std::vector<TracedSize> sizes;       ///< ordered by collective, processes and bytes
  std::vector<trace::CallSite> sites;  ///< the most frequent call site of each size
  std::vector<std::string> left_out;   ///< names of collectives with calls that cannot be measured
};

/// Start-up calls are the first calls of the job whose skew is more than ten times the median of all calls, since processes
/// start at different times. Few sizes are measured: those with the most calls, so that every size is between half and twice
/// a measured one. Empty messages are left out.
[[nodiscard]] TracedApplication traced_application(const trace::Job& job);

/// The number of processes with the most calls; 0 if there is no call.
[[nodiscard]] int most_frequent_processes(const std::vector<TracedSize>& sizes);

/// Prints the sizes on communicators of `processes` processes, and the commands that measure the others.
void print_sizes(const TracedApplication& application, int processes, const std::string& trace, std::ostream& out);

}  // namespace laxity::cli
