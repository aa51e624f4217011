// Picks the parts of an engine for a model by measuring short runs of it.
//
// One part after the other: all choices of a part run in turns, round after round, so that what drifts on the machine
// drifts for all alike, and the choice at hand gives way only to one that was faster than it in nearly every round. The
// parts go from those that matter most; the last question is whether the team pays at all.
//
// Threads: the caller's; what is measured starts its own. Elsewhere: the parts (engine.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "laxity/timewarp/engine.hpp"

namespace laxity::timewarp {

struct TuningChoice {
  std::string name;  ///< "rings", "mutex x 2", "4096"
  Engine engine;
  std::vector<double> rates{};  ///< committed events per second, by round
  double ratio = 1;             ///< median over the rounds of its rate ÷ that of the first choice
  int rounds_ahead = 0;         ///< in which it was faster than the first choice
};

struct TuningStep {
  std::string part;                   ///< "pending-event set"
  std::vector<TuningChoice> choices;  ///< the first is the one at hand
  std::size_t chosen = 0;
};

struct Tuning {
  std::vector<TuningStep> steps;
  Engine engine;    ///< what came out
  double rate = 0;  ///< its median, in the last step
};

/// Runs the model on an engine; returns committed events per second.
using MeasureRate = std::function<double(const Engine&)>;

/// Called before every run with the number of runs made and the number that there will be at most.
using TuningProgress = std::function<void(int, int)>;

/// Tunes a team that is not sequential. `rounds` >= 1, better 5 or more; the smallest gain that counts is 2 %.
[[nodiscard]] Tuning tune(const Engine& start, const MeasureRate& measure, int rounds,
                          const TuningProgress& progress = {});

/// The runs that tune() makes for this team, at most.
[[nodiscard]] int runs_of_tuning(const Engine& start, int rounds);

/// Says in a sentence what a step found: "exchange: rings; mutex x 1 has 0.81 of its rate, ...".
[[nodiscard]] std::string words_of(const TuningStep& step);

}  // namespace laxity::timewarp
