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

// Visits the selected calls that were recorded by most processes. `restart` forgets earlier ones, which fewer recorded.
template <class Restart, class Visit>
void for_each_selected(const Job& job, const Selection& selection, Restart restart, Visit visit) {
  std::size_t most = 0;
  job.for_each_call([&](const CollectiveCall& call) {
    if (call.kind != selection.kind || call.communicator != selection.communicator) return;
    if (call.parts.size() > most) restart();
    most = std::max(most, call.parts.size());
    if (call.parts.size() == most) visit(call);
  });
}

// The mean delays over several calls, relative to the process that is first in the mean.
class MeanDelays {
 public:
  void add(const CollectiveCall& call) {
    const auto delays_ns = call.delays_ns();
    sums_.resize(delays_ns.size());
    for (std::size_t i = 0; i < delays_ns.size(); ++i) sums_[i] += static_cast<double>(delays_ns[i]);
    ++calls_;
  }
  [[nodiscard]] bool empty() const noexcept { return calls_ == 0; }
  [[nodiscard]] ArrivalPattern pattern(std::string name) const {
    ArrivalPattern pattern{.name = std::move(name), .seed = std::nullopt, .delays_s = {}};
    const double smallest = *std::min_element(sums_.begin(), sums_.end());
    for (const double sum : sums_) pattern.delays_s.push_back((sum - smallest) / static_cast<double>(calls_) * 1e-9);
    return pattern;
  }

 private:
  std::vector<double> sums_;
  std::uint64_t calls_ = 0;
};

const CallSite& site_of(const Job& job, const CollectiveCall& call) {
  const Participation& first = call.parts.front();
  return job.processes[first.process].sites[first.call.site];
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
  for_each_selected(
      job, selection, [&] { mean = {}; }, [&](const CollectiveCall& call) { mean.add(call); });
  if (mean.empty()) throw UsageError("the trace has no call of " + std::string(name_of(selection.kind)));
  return mean.pattern(collective::application_pattern);
}

std::vector<ArrivalPattern> site_patterns(const Job& job, const Selection& selection) {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> number;
  std::vector<MeanDelays> means;
  const auto restart = [&] {
    number.clear();
    means.clear();
  };
  for_each_selected(job, selection, restart, [&](const CollectiveCall& call) {
    const CallSite& site = site_of(job, call);
    const auto [found, is_new] = number.try_emplace({site.object, site.offset}, means.size());
    if (is_new) means.emplace_back();
    means[found->second].add(call);
  });
  std::vector<ArrivalPattern> patterns;
  for (std::size_t i = 0; i < means.size(); ++i) patterns.push_back(means[i].pattern("site " + std::to_string(i)));
  return patterns;
}

std::vector<ArrivalPattern> call_patterns(const Job& job, const Selection& selection) {
  std::vector<ArrivalPattern> patterns;
  for_each_selected(
      job, selection, [&] { patterns.clear(); },
      [&](const CollectiveCall& call) {
        MeanDelays delays;
        delays.add(call);
        patterns.push_back(delays.pattern("call " + std::to_string(call.sequence)));
      });
  return patterns;
}

}  // namespace laxity::trace
