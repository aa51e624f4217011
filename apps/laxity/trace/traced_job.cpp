#include "apps/laxity/trace/traced_job.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

bool has_traces(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".lxtrace") return true;
  }
  return false;
}

}  // namespace

std::filesystem::path trace_files_of(const std::filesystem::path& directory) {
  if (has_traces(directory / "trace")) return directory / "trace";
  if (has_traces(directory)) return directory;
  throw UsageError(directory.string() + ": no trace files (*.lxtrace) in it or in its folder trace");
}

const trace::Job& largest_job(const std::vector<trace::Job>& jobs) {
  return *std::max_element(jobs.begin(), jobs.end(), [](const trace::Job& a, const trace::Job& b) {
    return a.recorded_calls() < b.recorded_calls();
  });
}

trace::Job read_synchronized_job(const std::filesystem::path& directory) {
  std::vector<trace::Job> jobs = trace::read_jobs(trace_files_of(directory));
  trace::Job job = std::move(jobs[static_cast<std::size_t>(&largest_job(jobs) - jobs.data())]);
  if (!job.one_clock) throw UsageError(directory.string() + ": the clocks of the processes were not synchronized");
  return job;
}

}  // namespace laxity::cli
