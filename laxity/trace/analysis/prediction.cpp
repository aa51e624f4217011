#include "laxity/trace/analysis/prediction.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/error.hpp"
#include "laxity/trace/analysis/conditions.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::trace {
namespace {

using collective::ApplicationCalls;
using collective::Collective;
using collective::Condition;
using collective::Measurement;

struct ByNumber {
  bool operator()(const collective::Algorithm& a, const collective::Algorithm& b) const { return a.id < b.id; }
};

/// The medians of the last delays of one algorithm at one size, in seconds.
using Delays = std::map<Condition, double>;
using DelaysByAlgorithm = std::map<collective::Algorithm, Delays, ByNumber>;
using MeasuredSize = std::pair<int, std::size_t>;  // processes and bytes

// Of the algorithms that were measured under at least half of the conditions, the delays under the conditions that all
// of them share.
DelaysByAlgorithm shared_delays(DelaysByAlgorithm delays) {
  std::map<Condition, std::size_t> algorithms_under;
  for (const auto& [algorithm, under] : delays)
    for (const auto& [condition, delay] : under) algorithms_under.try_emplace(condition, 0);
  std::erase_if(delays, [&](const auto& one) { return 2 * one.second.size() < algorithms_under.size(); });
  for (const auto& [algorithm, under] : delays)
    for (const auto& [condition, delay] : under) ++algorithms_under[condition];
  for (auto& [algorithm, under] : delays)
    std::erase_if(under, [&](const auto& cell) { return algorithms_under[cell.first] < delays.size(); });
  return delays;
}

std::map<MeasuredSize, DelaysByAlgorithm> delays_of(Collective collective,
                                                    const std::vector<Measurement>& measurements) {
  std::map<MeasuredSize, DelaysByAlgorithm> sizes;
  for (const Measurement& cell : measurements) {
    // The pattern of an application is not one of those over which a mean is taken.
    if (cell.collective != collective || !cell.is_measured() || cell.pattern == collective::application_pattern)
      continue;
    sizes[{cell.processes, cell.bytes}][cell.algorithm][{cell.pattern, cell.skew_us}] =
        cell.last_delay_us().middle * 1e-6;
  }
  for (auto& [size, delays] : sizes) delays = shared_delays(std::move(delays));
  return sizes;
}

// Adds the last delays of all calls of one size. Each delays all processes of its communicator; `share` is their part
// of the job.
void add_calls(PredictedRunTime& run, const ApplicationCalls& size, const Delays& delays, double share) {
  double sum = 0;
  for (const auto& [condition, delay_s] : delays) {
    sum += delay_s;
    if (condition.first == name_of(collective::Pattern::no_delay))
      run.no_delay_s += delay_s * share * static_cast<double>(size.calls());
  }
  run.robust_s += sum / static_cast<double>(delays.size()) * share * static_cast<double>(size.calls());
  for (const auto& [condition, calls] : size.calls_by_condition)
    run.traced_s += delays.at(condition) * share * static_cast<double>(calls);
}

// The calls by the measured size and condition nearest to them. Throws UsageError if a size was not measured.
std::vector<ApplicationCalls> calls_of(const Job& job, Collective collective, std::vector<Measurement> measurements,
                                       const std::map<MeasuredSize, DelaysByAlgorithm>& sizes) {
  // Only shared conditions can be the nearest ones. A size without any remains known.
  for (Measurement& cell : measurements) {
    const auto size = sizes.find({cell.processes, cell.bytes});
    const bool is_shared = size != sizes.end() && !size->second.empty() &&
                           size->second.begin()->second.contains({cell.pattern, cell.skew_us});
    if (!is_shared) cell.delays.clear();
  }
  TracedConditions conditions = conditions_of(job, measurements);
  for (const UnmeasuredCalls& calls : conditions.unmeasured) {
    if (calls.collective != collective) continue;
    throw UsageError(std::string(name_of(collective)) + " of " + std::to_string(calls.bytes) + " bytes on " +
                     std::to_string(calls.processes) + " processes was not measured");
  }
  std::erase_if(conditions.calls, [&](const ApplicationCalls& calls) { return calls.collective != collective; });
  return std::move(conditions.calls);
}

}  // namespace

RunTimePrediction predict_run_time(const Job& job, Collective collective,
                                   const std::vector<Measurement>& measurements) {
  std::size_t calls = 0;
  std::int64_t delayed_ns = 0;  // the sum over the processes of the calls
  const Summary summary = summarize(job, [&](const CollectiveCall& call, const CallFigures& figures) {
    if (collective_of(call.kind) != collective || !is_comparable(job, call)) return;
    ++calls;
    delayed_ns += figures.inside_ns - figures.waiting_ns;
  });
  const auto delays = delays_of(collective, measurements);
  const std::vector<ApplicationCalls> sizes = calls_of(job, collective, measurements, delays);
  std::size_t assigned = 0;
  for (const ApplicationCalls& size : sizes) assigned += size.calls();
  if (calls == 0) throw UsageError("the trace has no blocking " + std::string(name_of(collective)));
  if (assigned < calls) {
    throw UsageError(std::to_string(calls - assigned) + " calls of " + std::string(name_of(collective)) +
                     " are of sizes that were measured too seldom");
  }
  const auto processes = static_cast<double>(job.processes.size());
  RunTimePrediction prediction{.calls = calls,
                               .traced_s = static_cast<double>(summary.elapsed_ns) * 1e-9 / processes,
                               .other_s = static_cast<double>(summary.elapsed_ns - delayed_ns) * 1e-9 / processes,
                               .algorithms = {}};
  std::map<collective::Algorithm, std::pair<std::size_t, PredictedRunTime>, ByNumber> runs;  // with its sizes
  for (const ApplicationCalls& size : sizes) {
    const DelaysByAlgorithm& of_size = delays.at({size.processes, size.bytes});
    if (!of_size.begin()->second.contains({std::string(name_of(collective::Pattern::no_delay)), 0.0})) {
      throw UsageError(std::string(name_of(collective)) + " of " + std::to_string(size.bytes) + " bytes on " +
                       std::to_string(size.processes) + " processes was measured too seldom without delay");
    }
    for (const auto& [algorithm, under] : of_size) {
      auto& [number, run] = runs[algorithm];
      ++number;
      add_calls(run, size, under, size.processes / processes);
    }
  }
  for (auto& [algorithm, found] : runs) {
    auto& [number, run] = found;
    if (number < sizes.size()) continue;
    for (double* time : {&run.no_delay_s, &run.robust_s, &run.traced_s}) *time += prediction.other_s;
    run.algorithm = algorithm;
    prediction.algorithms.push_back(run);
  }
  return prediction;
}

}  // namespace laxity::trace
