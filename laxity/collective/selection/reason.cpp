// The reasons of a choice in sentences.
#include <algorithm>
#include <array>
#include <cstdio>

#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {
namespace {

std::string number(const char* format, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// "7.25 us" or "12600 us": three significant digits without an exponent.
std::string microseconds(double time_us) { return number(time_us < 1000 ? "%.3g" : "%.0f", time_us) + " us"; }

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string label(const Algorithm& algorithm) { return algorithm.name + " (" + std::to_string(algorithm.id) + ")"; }

// "0.82 times as long as the library's own choice (95 % interval 0.79 to 0.86)"
std::string compared(const Cost& cost) {
  return number("%.2f", cost.ratio.middle) + " times as long as the library's own choice (95 % interval " +
         number("%.2f", cost.ratio.low) + " to " + number("%.2f", cost.ratio.high) + ")";
}

// The candidate of smallest cost besides the library's own choice; null if the criterion was not measured.
const Candidate* fastest_other(const std::vector<Candidate>& candidates, ChoiceKind kind) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.algorithm.id == 0 || !candidate.cost(kind)) continue;
    if (best == nullptr || candidate.cost(kind)->value < best->cost(kind)->value) best = &candidate;
  }
  return best;
}

// "under 9 of 9 conditions, each with at least 28 valid repetitions"
std::string how_often(const Selection& selection, const Candidate& candidate) {
  const std::size_t repetitions = std::min(candidate.repetitions, selection.library().repetitions);
  return "under " + std::to_string(selection.shared) + " of " + counted(selection.conditions, "condition") +
         ", each with at least " + counted(repetitions, "valid repetition");
}

// "In the application (96 calls, 60 of them nearest to last_delayed, median skew 120 us) "
std::string of_calls(const ApplicationCalls& application) {
  const Condition& frequent = application.dominant_condition();
  std::string text = "In the application (" + counted(application.calls(), "call") + ", ";
  if (application.calls_by_condition.size() > 1) {
    text += std::to_string(application.calls_by_condition.at(frequent)) + " of them ";
  }
  return text + "nearest to " + frequent.first + ", median skew " + microseconds(application.median_skew_us) + ") ";
}

std::string without_delay(const Selection& selection) {
  const Candidate* const robust = selection.chosen(ChoiceKind::robust);
  const Candidate* const naive = selection.chosen(ChoiceKind::no_delay);
  if (naive == robust || !selection.library().cost(ChoiceKind::no_delay)) return {};
  if (naive == nullptr) return " Without delay the library's own choice is kept.";
  return " Without delay " + label(naive->algorithm) + " takes " + compared(*naive->cost(ChoiceKind::no_delay)) +
         ", but its largest last delay is " + number("%.2f", naive->worst) + " times the smallest one, under " +
         naive->worst_pattern + ".";
}

std::string of_application(const Selection& selection) {
  const Candidate* const traced = selection.chosen(ChoiceKind::traced);
  if (!selection.library().cost(ChoiceKind::traced)) return {};
  const auto& application = selection.application;
  std::string text = " " + (application ? of_calls(*application) : std::string("Under the traced pattern "));
  if (traced == nullptr) {
    text += "the library's own choice is kept.";
  } else {
    text += (traced == selection.chosen(ChoiceKind::robust) ? "it" : label(traced->algorithm)) + " takes " +
            compared(*traced->cost(ChoiceKind::traced)) + ".";
  }
  if (application && application->exceeds_measured_skew()) {
    text += " Its skew is far larger than the measured skews: measure with a skew of " +
            number("%.0f", application->median_skew_us) + " us.";
  }
  return text;
}

}  // namespace

std::string Selection::name() const {
  std::string text = std::string(name_of(collective)) + ", " + std::to_string(processes) +
                     (processes == 1 ? " process" : " processes");
  if (collective != Collective::barrier) text += ", " + std::to_string(bytes) + " bytes";
  return text;
}

std::string Selection::evidence(ChoiceKind kind) const {
  constexpr const char* many_processes =
      " There were more processes than processors, so delays depend on the scheduler.";
  const std::string cause = oversubscribed ? many_processes : "";
  if (!undecided.empty()) return "undecided: the library's own choice is kept, since " + undecided + "." + cause;
  if (!library().cost(kind)) return "was not measured; the library's own choice is kept.";
  if (const Candidate* const best = chosen(kind)) {
    return label(best->algorithm) + " takes " + compared(*best->cost(kind)) + " " + how_often(*this, *best) + "." +
           cause;
  }
  const Candidate& other = *fastest_other(candidates, kind);
  return "the library's own choice is kept: the fastest other algorithm, " + label(other.algorithm) + ", takes " +
         compared(*other.cost(kind)) + " " + how_often(*this, other) + "." + cause;
}

std::string Selection::reason() const {
  std::string text = name() + ": " + evidence(ChoiceKind::robust);
  if (undecided.empty()) text += without_delay(*this) + of_application(*this);
  return text;
}

}  // namespace laxity::collective
