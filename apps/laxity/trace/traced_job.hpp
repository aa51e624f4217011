// Reads the trace of a run directory.
#pragma once

#include <filesystem>
#include <vector>

#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

/// The folder of trace files of a run directory, or the directory itself. Throws UsageError if neither contains any.
[[nodiscard]] std::filesystem::path trace_files_of(const std::filesystem::path& directory);

/// The job with the most calls; other jobs are usually small programs in the same script. `jobs` is not empty.
[[nodiscard]] const trace::Job& largest_job(const std::vector<trace::Job>& jobs);

/// The largest job of a run directory. Throws UsageError if times of its processes cannot be compared.
[[nodiscard]] trace::Job read_synchronized_job(const std::filesystem::path& directory);

}  // namespace laxity::cli
