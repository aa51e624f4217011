#include "laxity/trace/analysis/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/collective/selection/size_range.hpp"
#include "laxity/median.hpp"

namespace laxity::trace {
namespace {

using collective::ApplicationCalls;
using collective::Collective;
using collective::Condition;
using collective::Measurement;
using collective::Pattern;
using Size = std::tuple<Collective, int, std::size_t>;

// The largest root-mean-square distance of a call from its nearest shape. The mean distance of two random shapes is
// 0.4.
constexpr double max_distance = 0.3;

// The delays of a call's processes in us, by rank.
std::vector<double> delays_us(const CollectiveCall& call) {
  std::vector<double> delays;
  for (const std::int64_t delay_ns : call.delays_ns()) delays.push_back(static_cast<double>(delay_ns) * 1e-3);
  return delays;
}

// The measured conditions of one size.
class MeasuredConditions {
 public:
  void add(const Measurement& cell) { skews_[cell.pattern].insert(cell.skew_us); }

  // The condition nearest to a call with these delays; empty if no measured pattern has a known shape.
  [[nodiscard]] std::optional<Condition> nearest(const std::vector<double>& delays) const {
    const double skew_us = *std::max_element(delays.begin(), delays.end());
    const auto no_delay = skews_.find(std::string(name_of(Pattern::no_delay)));
    if (no_delay != skews_.end() && skew_us < smallest_skew() / 2) return Condition{no_delay->first, 0.0};
    const auto shape = nearest_shape(delays, skew_us);
    if (!shape) return no_delay == skews_.end() ? std::nullopt : std::optional(Condition{no_delay->first, 0.0});
    return Condition{*shape, nearest_skew(*shape, skew_us)};
  }

 private:
  [[nodiscard]] double smallest_skew() const {
    double smallest = 0;
    for (const auto& [pattern, skews] : skews_) {
      for (const double skew : skews) {
        if (skew > 0 && (smallest == 0 || skew < smallest)) smallest = skew;
      }
    }
    return smallest;
  }

  [[nodiscard]] std::optional<std::string> nearest_shape(const std::vector<double>& delays, double skew_us) const {
    std::optional<std::string> nearest;
    double smallest = 0;
    bool has_random = false;
    for (const Pattern pattern : collective::delaying_patterns) {
      const std::string name(name_of(pattern));
      if (!skews_.contains(name)) continue;
      if (pattern == Pattern::random) {
        has_random = true;
        continue;
      }
      const double distance = distance_to(delays, skew_us, pattern);
      if (!nearest || distance < smallest) {
        nearest = name;
        smallest = distance;
      }
    }
    if (has_random && (!nearest || smallest > max_distance)) return std::string(name_of(Pattern::random));
    return nearest;
  }

  static double distance_to(const std::vector<double>& delays, double skew_us, Pattern pattern) {
    const auto shape = collective::arrival_delays(pattern, static_cast<int>(delays.size()), 1);
    double sum = 0;
    for (std::size_t i = 0; i < delays.size(); ++i) {
      const double difference = (skew_us > 0 ? delays[i] / skew_us : 0) - shape[i];
      sum += difference * difference;
    }
    return std::sqrt(sum / static_cast<double>(delays.size()));
  }

  [[nodiscard]] double nearest_skew(const std::string& pattern, double skew_us) const {
    const std::set<double>& skews = skews_.at(pattern);
    const auto distance = [&](double skew) {
      return std::abs(std::log(std::max(skew, 1e-3) / std::max(skew_us, 1e-3)));
    };
    return *std::min_element(skews.begin(), skews.end(), [&](double a, double b) { return distance(a) < distance(b); });
  }

  std::map<std::string, std::set<double>> skews_;
};

using MeasuredSizes = std::map<Size, MeasuredConditions>;

// The measured size that stands for a message; empty if none does.
std::optional<Size> measured_size_for(const MeasuredSizes& measured, Collective collective, int processes,
                                      std::uint64_t bytes) {
  std::vector<std::uint64_t> sizes;
  for (const auto& [size, conditions] : measured) {
    if (std::get<0>(size) == collective && std::get<1>(size) == processes) sizes.push_back(std::get<2>(size));
  }
  const auto ranges = collective::ranges_of(sizes);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].from <= bytes && bytes <= ranges[i].to) return Size{collective, processes, sizes[i]};
  }
  return std::nullopt;
}

// The calls of one measured size.
struct AssignedCalls {
  std::map<Condition, std::size_t> by_condition;
  std::vector<double> skews_us;
};

ApplicationCalls summarize_calls(const Size& size, AssignedCalls calls) {
  return {.collective = std::get<0>(size),
          .processes = std::get<1>(size),
          .bytes = std::get<2>(size),
          .calls_by_condition = std::move(calls.by_condition),
          .median_skew_us = median(std::move(calls.skews_us))};
}

}  // namespace

std::optional<Collective> collective_of(Kind kind) noexcept {
  for (const Collective collective : collective::all_collectives) {
    if (name_of(collective) == name_of(kind)) return collective;
  }
  return std::nullopt;
}

bool is_comparable(const Job& job, const CollectiveCall& call) noexcept {
  const Participation& part = call.parts.front();
  const bool between_groups = job.processes[part.process].communicators[part.call.communicator].remote_size != 0;
  const std::uint32_t processes = job.communicators[call.communicator].size;
  return call.start == Start::blocking && !between_groups && call.parts.size() == processes && processes > 1;
}

std::uint64_t benchmark_bytes(const Job& job, const CollectiveCall& call) noexcept {
  // In the benchmark the size of a reduce_scatter is that of one block.
  return call.kind == Kind::reduce_scatter ? call.bytes / job.communicators[call.communicator].size : call.bytes;
}

TracedConditions conditions_of(const Job& job, const std::vector<Measurement>& measurements) {
  MeasuredSizes sizes;
  for (const Measurement& cell : measurements) {
    MeasuredConditions& conditions = sizes[{cell.collective, cell.processes, cell.bytes}];
    if (cell.is_measured()) conditions.add(cell);
  }
  std::map<Size, AssignedCalls> assigned;
  std::map<std::tuple<Kind, std::uint32_t, std::uint64_t>, std::size_t> unassigned;
  job.for_each_call([&](const CollectiveCall& call) {
    if (!is_comparable(job, call)) return;
    const std::uint32_t processes = job.communicators[call.communicator].size;
    const std::uint64_t bytes = benchmark_bytes(job, call);
    const auto collective = collective_of(call.kind);
    const auto size =
        collective ? measured_size_for(sizes, *collective, static_cast<int>(processes), bytes) : std::nullopt;
    if (!size) {
      ++unassigned[{call.kind, processes, bytes}];
      return;
    }
    const std::vector<double> delays = delays_us(call);
    const auto condition = sizes.at(*size).nearest(delays);
    if (!condition) return;  // the choice for this size says that it is undecided
    AssignedCalls& of_size = assigned[*size];
    ++of_size.by_condition[*condition];
    of_size.skews_us.push_back(*std::max_element(delays.begin(), delays.end()));
  });
  TracedConditions conditions;
  for (auto& [size, of_size] : assigned) conditions.calls.push_back(summarize_calls(size, std::move(of_size)));
  for (const auto& [what, calls] : unassigned) {
    const auto& [kind, processes, bytes] = what;
    conditions.unmeasured.push_back({kind, collective_of(kind), processes, bytes, calls});
  }
  return conditions;
}

}  // namespace laxity::trace
