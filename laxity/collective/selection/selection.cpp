#include "laxity/collective/selection/selection.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <tuple>
#include <utility>

#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

using Delays = std::map<Condition, double>;  // of one algorithm
using Size = std::tuple<Collective, int, std::size_t>;

struct Algorithms {
  std::map<int, std::string> name;
  std::map<int, Delays> delays;
};

std::string number(const char* format, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// "7.25 us" or "12600 us": three significant digits without an exponent.
std::string microseconds(double time_us) { return number(time_us < 1000 ? "%.3g" : "%.0f", time_us) + " us"; }

std::string of_size(const Selection& selection) {
  std::string text = std::string(name_of(selection.collective)) + ", " + std::to_string(selection.processes) +
                     (selection.processes == 1 ? " process" : " processes");
  if (selection.collective != Collective::barrier) text += ", " + std::to_string(selection.bytes) + " bytes";
  return text;
}

// " In the application (96 calls, 60 of them nearest to last_delayed, median skew 120 us) "
std::string of_calls(const ApplicationCalls& application) {
  const Condition& frequent = application.dominant_condition();
  const std::size_t calls = application.calls();
  std::string text = " In the application (" + std::to_string(calls) + (calls == 1 ? " call, " : " calls, ");
  if (application.calls_by_condition.size() > 1) {
    text += std::to_string(application.calls_by_condition.at(frequent)) + " of them ";
  }
  return text + "nearest to " + frequent.first + ", median skew " + microseconds(application.median_skew_us) + ") ";
}

// The smallest last delay under each condition, of the algorithms that were measured under all conditions.
std::map<Condition, double> smallest(const std::vector<const Delays*>& complete) {
  std::map<Condition, double> best;
  for (const Delays* const delays : complete) {
    for (const auto& [condition, delay] : *delays) {
      const auto [at, is_new] = best.emplace(condition, delay);
      if (!is_new) at->second = std::min(at->second, delay);
    }
  }
  return best;
}

// The last delay divided by the smallest one. If the smallest is 0, the result is 1 plus the delay in microseconds.
double normalized(double delay_us, double smallest_us) {
  if (smallest_us > 0) return delay_us / smallest_us;
  return 1 + delay_us;
}

Candidate candidate_of(const Algorithm& algorithm, const Delays& delays, const std::map<Condition, double>& best,
                       const std::string& traced_pattern) {
  Candidate candidate{.algorithm = algorithm, .worst_pattern = {}, .no_delay_us = {}, .traced_us = {}};
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [condition, delay] : delays) {
    const std::string& pattern = condition.first;
    if (pattern == name_of(Pattern::no_delay)) candidate.no_delay_us = delay;
    if (!traced_pattern.empty() && pattern == traced_pattern) {
      candidate.traced_us = delay;
      continue;
    }
    const double ratio = normalized(delay, best.at(condition));
    sum += ratio;
    ++count;
    if (ratio > candidate.worst) {
      candidate.worst = ratio;
      candidate.worst_pattern = pattern;
    }
  }
  candidate.mean = count == 0 ? 1 : sum / static_cast<double>(count);
  return candidate;
}

// The mean last delay over the application's calls, each under its nearest condition; empty if one was not measured.
std::optional<double> mean_over_calls(const Delays& delays, const ApplicationCalls& application) {
  double sum_us = 0;
  for (const auto& [condition, calls] : application.calls_by_condition) {
    const auto measured = delays.find(condition);
    if (measured == delays.end()) return std::nullopt;
    sum_us += static_cast<double>(calls) * measured->second;
  }
  return sum_us / static_cast<double>(application.calls());
}

// The index of the first candidate with the smallest value; empty if no candidate has a value.
std::optional<std::size_t> fastest(const std::vector<Candidate>& candidates,
                                   std::optional<double> Candidate::*delay_us) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!(candidates[i].*delay_us)) continue;
    if (!found || candidates[i].*delay_us < candidates[*found].*delay_us) found = i;
  }
  return found;
}

// The application's calls of this size; empty if it has none.
std::optional<ApplicationCalls> calls_of(const Size& size, const std::vector<ApplicationCalls>& application) {
  const auto found = std::find_if(application.begin(), application.end(), [&](const ApplicationCalls& calls) {
    return Size{calls.collective, calls.processes, calls.bytes} == size;
  });
  return found == application.end() ? std::nullopt : std::optional(*found);
}

// Without candidates if no algorithm was measured under all conditions of the size.
Selection select_for(const Size& size, const Algorithms& measured, const std::string& traced_pattern,
                     const std::vector<ApplicationCalls>& application) {
  Selection selection;
  std::tie(selection.collective, selection.processes, selection.bytes) = size;
  selection.application = calls_of(size, application);
  std::map<Condition, std::size_t> conditions;
  for (const auto& [id, delays] : measured.delays) {
    for (const auto& [condition, delay] : delays) ++conditions[condition];
  }
  std::vector<const Delays*> complete;
  std::vector<Algorithm> algorithms;
  for (const auto& [id, delays] : measured.delays) {
    if (delays.size() == conditions.size()) {
      complete.push_back(&delays);
      algorithms.push_back({id, measured.name.at(id)});
    } else {
      selection.left_out.push_back(measured.name.at(id));
    }
  }
  if (complete.empty()) return selection;
  const auto best = smallest(complete);
  for (std::size_t i = 0; i < complete.size(); ++i) {
    Candidate& candidate =
        selection.candidates.emplace_back(candidate_of(algorithms[i], *complete[i], best, traced_pattern));
    if (application.empty()) continue;
    candidate.traced_us = selection.application ? mean_over_calls(*complete[i], *selection.application) : std::nullopt;
  }
  std::stable_sort(selection.candidates.begin(), selection.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.mean < b.mean; });
  selection.patterns =
      static_cast<std::size_t>(std::count_if(conditions.begin(), conditions.end(), [&](const auto& condition) {
        return traced_pattern.empty() || condition.first.first != traced_pattern;
      }));
  selection.no_delay = fastest(selection.candidates, &Candidate::no_delay_us);
  selection.traced = fastest(selection.candidates, &Candidate::traced_us);
  return selection;
}

}  // namespace

std::string Selection::reason() const {
  const Candidate& chosen = robust();
  std::string text = of_size(*this) + ": " + chosen.algorithm.name + " (" + std::to_string(chosen.algorithm.id) + ")";
  if (candidates.size() == 1) return text + ", the only one that was measured under all patterns.";
  text += " has a mean of " + number("%.2f", chosen.mean) + " times the smallest last delay over " +
          std::to_string(patterns) + (patterns == 1 ? " pattern" : " patterns") + " and a maximum of " +
          number("%.2f", chosen.worst) + " times under " + chosen.worst_pattern + ".";
  if (no_delay && *no_delay != 0) {
    const Candidate& naive = candidates[*no_delay];
    text += " Without delay " + naive.algorithm.name + " (" + std::to_string(naive.algorithm.id) + ") is fastest (" +
            microseconds(*naive.no_delay_us) + " against " + microseconds(*chosen.no_delay_us) + "), but its mean is " +
            number("%.2f", naive.mean) + " times and its maximum " + number("%.2f", naive.worst) + " times under " +
            naive.worst_pattern + ".";
  } else if (no_delay) {
    text += " It is also the fastest without delay.";
  }
  if (traced) {
    const Candidate& fit = candidates[*traced];
    text += application ? of_calls(*application) : " Under the traced pattern ";
    text += *traced == 0 ? "it is the fastest, too" : fit.algorithm.name + " is the fastest";
    text += " (" + microseconds(*fit.traced_us) + ").";
    if (application && application->exceeds_measured_skew()) {
      text += " Its skew is far larger than the measured skews: measure with a skew of " +
              number("%.0f", application->median_skew_us) + " us.";
    }
  }
  return text;
}

std::size_t ApplicationCalls::calls() const noexcept {
  return std::accumulate(calls_by_condition.begin(), calls_by_condition.end(), std::size_t{0},
                         [](std::size_t sum, const auto& entry) { return sum + entry.second; });
}

bool ApplicationCalls::exceeds_measured_skew() const noexcept {
  constexpr double far = 4;
  double largest_us = 0;
  for (const auto& [condition, calls] : calls_by_condition) largest_us = std::max(largest_us, condition.second);
  return largest_us > 0 && median_skew_us > far * largest_us;
}

const Condition& ApplicationCalls::dominant_condition() const noexcept {
  return std::max_element(calls_by_condition.begin(), calls_by_condition.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

Selections select_algorithms(const std::vector<Measurement>& measurements, const std::string& traced_pattern,
                             const std::vector<ApplicationCalls>& application) {
  std::map<Size, Algorithms> sizes;
  for (const Measurement& cell : measurements) {
    if (cell.library != measurements.front().library) {
      throw UsageError("measurements of " + measurements.front().library + " and of " + cell.library +
                       ": a choice holds for one library");
    }
    if (cell.algorithm.id == 0) continue;  // the library's own choice is not a candidate
    Algorithms& at = sizes[{cell.collective, cell.processes, cell.bytes}];
    at.name.emplace(cell.algorithm.id, cell.algorithm.name);
    at.delays[cell.algorithm.id][{cell.pattern, cell.skew_us}] = cell.last_delay_us;
  }
  Selections selections;
  for (const auto& [size, algorithms] : sizes) {
    Selection selection = select_for(size, algorithms, traced_pattern, application);
    if (selection.candidates.empty()) {
      selections.undecided.push_back(of_size(selection) +
                                     ": undecided, since no algorithm has a valid repetition under every pattern; "
                                     "measure with a larger budget per cell, fewer processes, or one skew for all "
                                     "algorithms");
    } else {
      selections.made.push_back(std::move(selection));
    }
  }
  return selections;
}

}  // namespace laxity::collective
