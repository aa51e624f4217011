#include "apps/laxity/arrival/traced_sizes.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "laxity/collective/selection/size_range.hpp"
#include "laxity/median.hpp"
#include "laxity/trace/analysis/conditions.hpp"
#include "laxity/trace/analysis/site_names.hpp"

namespace laxity::cli {
namespace {

using collective::Collective;
using Size = std::tuple<Collective, int, std::size_t>;

// The skew of a call.
float skew_us(const trace::CollectiveCall& call) {
  const auto delays_ns = call.delays_ns();
  return static_cast<float>(*std::max_element(delays_ns.begin(), delays_ns.end())) * 1e-3F;
}

// The size of a call; empty if the benchmark cannot measure it.
std::optional<Size> size_of(const trace::Job& job, const trace::CollectiveCall& call) {
  const auto collective = trace::collective_of(call.kind);
  const std::uint64_t bytes = trace::benchmark_bytes(job, call);
  if (!collective || !trace::is_comparable(job, call) || (bytes == 0 && *collective != Collective::barrier)) return {};
  return Size{*collective, static_cast<int>(job.communicators[call.communicator].size), bytes};
}

// All calls of one size.
struct Calls {
  std::vector<float> skews_us;                                             // in the order of the calls
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_site;  // of the first process: its index, its site

  [[nodiscard]] const trace::CallSite& most_frequent_site(const trace::Job& job) const {
    const auto most = std::max_element(by_site.begin(), by_site.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return job.processes[most->first.first].sites[most->first.second];
  }
};
using CallsBySize = std::map<Size, Calls>;

double median_us(const CallsBySize& calls) {
  std::vector<double> all_us;
  for (const auto& [size, of_size] : calls) {
    all_us.insert(all_us.end(), of_size.skews_us.begin(), of_size.skews_us.end());
  }
  return all_us.empty() ? 0 : median(std::move(all_us));
}

// The number of start-up calls of each size. The trace is read once more, since the median of all calls is needed.
std::map<Size, std::size_t> count_start_up_calls(const trace::Job& job, double limit_us) {
  std::map<Size, std::size_t> counts;
  bool has_started = false;
  job.for_each_call([&](const trace::CollectiveCall& call) {
    if (has_started) return;
    const auto size = size_of(job, call);
    if (!size) return;
    has_started = skew_us(call) <= limit_us;
    if (!has_started) ++counts[*size];
  });
  return counts;
}

// Sets the measured size of each of the sizes, which are of one collective and number of processes, in ascending order.
void choose_measured(const std::vector<TracedSize*>& sizes) {
  std::vector<std::uint64_t> measured;
  std::vector<TracedSize*> frequent = sizes;
  std::stable_sort(frequent.begin(), frequent.end(), [](const auto* a, const auto* b) { return a->calls > b->calls; });
  for (const TracedSize* const each : frequent) {
    const bool is_covered = std::any_of(measured.begin(), measured.end(), [&](std::uint64_t bytes) {
      return each->bytes <= 2 * bytes && 2 * each->bytes >= bytes;
    });
    if (!is_covered) measured.push_back(each->bytes);
  }
  std::sort(measured.begin(), measured.end());
  const auto ranges = collective::ranges_of(measured);
  for (TracedSize* const each : sizes) {
    for (std::size_t at = 0; at < ranges.size(); ++at) {
      if (ranges[at].from <= each->bytes && each->bytes <= ranges[at].to) each->measured_bytes = measured[at];
    }
  }
}

}  // namespace

TracedApplication traced_application(const trace::Job& job) {
  constexpr double far = 10;
  CallsBySize calls;
  std::set<std::string> left_out;
  job.for_each_call([&](const trace::CollectiveCall& call) {
    if (const auto size = size_of(job, call)) {
      Calls& of_size = calls[*size];
      of_size.skews_us.push_back(skew_us(call));
      ++of_size.by_site[{call.parts.front().process, call.parts.front().call.site}];
    } else {
      left_out.emplace(name_of(call.kind));
    }
  });
  auto start_up = count_start_up_calls(job, far * median_us(calls));
  TracedApplication application{.sizes = {}, .sites = {}, .left_out = {left_out.begin(), left_out.end()}};
  for (const auto& [size, of_size] : calls) {
    const std::vector<float>& us = of_size.skews_us;
    application.sites.push_back(of_size.most_frequent_site(job));
    TracedSize& traced = application.sizes.emplace_back();
    std::tie(traced.collective, traced.processes, traced.bytes) = size;
    traced.calls = us.size();
    traced.start_up_calls = start_up[size];
    const std::vector<double> others(us.begin() + static_cast<std::ptrdiff_t>(traced.start_up_calls), us.end());
    if (others.empty()) continue;
    traced.max_skew_us = *std::max_element(others.begin(), others.end());
    traced.median_skew_us = median(others);
  }
  std::map<std::pair<Collective, int>, std::vector<TracedSize*>> by_communicator;
  for (TracedSize& traced : application.sizes)
    by_communicator[{traced.collective, traced.processes}].push_back(&traced);
  for (auto& [communicator, sizes] : by_communicator) choose_measured(sizes);
  return application;
}

int most_frequent_processes(const std::vector<TracedSize>& sizes) {
  std::map<int, std::size_t> calls;
  for (const TracedSize& size : sizes) calls[size.processes] += size.calls;
  const auto most =
      std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == calls.end() ? 0 : most->first;
}

void print_sizes(const TracedApplication& application, int processes, const std::string& trace, std::ostream& out) {
  std::size_t start_up = 0;
  std::map<int, std::size_t> other_calls;  // by number of processes
  fmt::print(out, "{:<16} {:>10} {:>9} {:>14} {:>14} {:>12}  {}\n", "collective", "bytes", "calls", "median skew",
             "largest skew", "measured as", "most calls from");
  const std::vector<std::string> sites = trace::site_names(application.sites);
  for (std::size_t at = 0; at < application.sizes.size(); ++at) {
    const TracedSize& size = application.sizes[at];
    start_up += size.start_up_calls;
    if (size.processes != processes) {
      other_calls[size.processes] += size.calls;
      continue;
    }
    fmt::print(out, "{:<16} {:>10} {:>9} {:>11.1f} us {:>11.1f} us {:>12}  {}\n", name_of(size.collective), size.bytes,
               size.calls, size.median_skew_us, size.max_skew_us, size.measured_bytes, sites[at]);
  }
  if (start_up > 0) fmt::print(out, "the skews leave out the first {} calls of the program, its start-up\n", start_up);
  for (const auto& [other, calls] : other_calls) {
    fmt::print(out, "not measured: {} calls on {} processes; to measure them: laxity arrival -n {} --for {}\n", calls,
               other, other, trace);
  }
  if (!application.left_out.empty()) {
    fmt::print(
        out,
        "cannot be measured: calls that are nonblocking, empty, between groups or not recorded by all processes, "
        "and collectives without a benchmark:");
    for (const std::string& name : application.left_out) fmt::print(out, " {}", name);
    fmt::print(out, "\n");
  }
}

}  // namespace laxity::cli
