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

// The selected calls that were recorded by all processes that recorded any of them.
std::vector<const CollectiveCall*> selected_calls(const Job& job, const Selection& selection) {
  std::vector<const CollectiveCall*> calls;
  std::uint32_t max_count = 0;
  for (const CollectiveCall& call : job.calls) {
    if (call.kind != selection.kind || call.communicator != selection.communicator) continue;
    max_count = std::max(max_count, call.count);
    calls.push_back(&call);
  }
  std::erase_if(calls, [max_count](const CollectiveCall* call) { return call->count < max_count; });
  return calls;
}

// The mean delays over several calls.
class MeanDelays {
 public:
  void add(const Job& job, const CollectiveCall& call) {
    const auto delays_ns = job.delays_ns(call);
    sums_.resize(delays_ns.size());
    for (std::size_t i = 0; i < delays_ns.size(); ++i) sums_[i] += static_cast<double>(delays_ns[i]);
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

std::optional<Selection> longest_selection(const Job& job, std::optional<Kind> kind) {
  const Summary summary = summarize(job);
  for (const CollectiveSummary& collective : summary.collectives) {
    if (!kind || collective.kind == *kind) return Selection{collective.kind, collective.communicator};
  }
  return std::nullopt;
}

ArrivalPattern mean_pattern(const Job& job, const Selection& selection) {
  MeanDelays mean;
  const auto calls = selected_calls(job, selection);
  if (calls.empty()) throw UsageError("the trace has no call of " + std::string(name_of(selection.kind)));
  for (const CollectiveCall* call : calls) mean.add(job, *call);
  return mean.pattern(collective::application_pattern);
}

std::vector<ArrivalPattern> site_patterns(const Job& job, const Selection& selection) {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> number;
  std::vector<MeanDelays> means;
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
    MeanDelays mean;
    mean.add(job, *call);
    patterns.push_back(mean.pattern("call " + std::to_string(call->sequence)));
  }
  return patterns;
}

}  // namespace laxity::trace
