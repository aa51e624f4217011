#include "laxity/trace/analysis/arrival_patterns.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::trace {
namespace {

using collective::ArrivalPattern;

/// Selected calls that all processes which are in any of them have recorded.
std::vector<const CollectiveCall*> selected_calls(const Job& job, const Selection& selection) {
  std::vector<const CollectiveCall*> calls;
  std::uint32_t most = 0;
  for (const CollectiveCall& call : job.calls) {
    if (call.kind != selection.kind || call.communicator != selection.communicator) continue;
    most = std::max(most, call.count);
    calls.push_back(&call);
  }
  std::erase_if(calls, [most](const CollectiveCall* call) { return call->count < most; });
  return calls;
}

/// Sums delays call by call.
class Mean {
 public:
  void add(const Job& job, const CollectiveCall& call) {
    const auto parts = job.of(call);
    sums_.resize(parts.size());
    std::int64_t first_ns = job.call_of(parts.front()).arrival_ns;
    for (const Participation& part : parts) first_ns = std::min(first_ns, job.call_of(part).arrival_ns);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sums_[i] += static_cast<double>(job.call_of(parts[i]).arrival_ns - first_ns);
    }
    ++calls_;
  }
  [[nodiscard]] ArrivalPattern pattern(std::string name) const {
    ArrivalPattern pattern{.name = std::move(name), .seed = std::nullopt, .delays_s = {}};
    for (const double sum : sums_) pattern.delays_s.push_back(sum / static_cast<double>(calls_) * 1e-9);
    return pattern;
  }

 private:
  std::vector<double> sums_;
  std::uint64_t calls_ = 0;
};

const CallSite& site_of(const Job& job, const CollectiveCall& call) {
  const Participation& first = job.of(call).front();
  return job.processes[first.process].sites[job.call_of(first).site];
}

}  // namespace

std::optional<Selection> heaviest(const Job& job, std::optional<Kind> kind) {
  const Summary summary = summarize(job);
  for (const CollectiveSummary& collective : summary.collectives) {
    if (!kind || collective.kind == *kind) return Selection{collective.kind, collective.communicator};
  }
  return std::nullopt;
}

ArrivalPattern mean_pattern(const Job& job, const Selection& selection) {
  Mean mean;
  const auto calls = selected_calls(job, selection);
  if (calls.empty()) throw UsageError("no call of " + std::string(name_of(selection.kind)) + " in the trace");
  for (const CollectiveCall* call : calls) mean.add(job, *call);
  return mean.pattern(collective::application_pattern);
}

std::vector<ArrivalPattern> site_patterns(const Job& job, const Selection& selection) {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> number;
  std::vector<Mean> means;
  for (const CollectiveCall* call : selected_calls(job, selection)) {
    const CallSite& site = site_of(job, *call);
    const auto [found, is_new] = number.try_emplace({site.object, site.offset}, means.size());
    if (is_new) means.emplace_back();
    means[found->second].add(job, *call);
  }
  std::vector<ArrivalPattern> patterns;
  for (std::size_t i = 0; i < means.size(); ++i) patterns.push_back(means[i].pattern("site " + std::to_string(i)));
  return patterns;
}

std::vector<ArrivalPattern> call_patterns(const Job& job, const Selection& selection) {
  std::vector<ArrivalPattern> patterns;
  for (const CollectiveCall* call : selected_calls(job, selection)) {
    Mean mean;
    mean.add(job, *call);
    patterns.push_back(mean.pattern("call " + std::to_string(call->sequence)));
  }
  return patterns;
}

}  // namespace laxity::trace
