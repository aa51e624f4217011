// Chooses the parts of an engine for a model by measuring short runs of the model.
//
// The parts are tuned one after the other, the most important first; the last is the team, which may lose to the
// sequential engine. All choices of a part run alternately, round after round, so that a drift of the machine affects
// all of them alike. The current choice is replaced only by one that was faster in nearly every round.
//
// Threads: the caller's; the measured runs start their own. Elsewhere: the parts (engine.hpp).
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
  int rounds_ahead = 0;         ///< rounds in which it was faster than the first choice
};

struct TuningStep {
  std::string part;                   ///< "pending-event set"
  std::vector<TuningChoice> choices;  ///< the current choice first
  std::size_t chosen = 0;
};

struct Tuning {
  std::vector<TuningStep> steps;
  Engine engine;    ///< with the chosen parts
  double rate = 0;  ///< median rate of the chosen team in the last step
};

/// Runs the model on an engine; returns committed events per second.
using MeasureRate = std::function<double(const Engine&)>;

/// Called before every run with the number of completed runs and the maximum number of runs.
using TuningProgress = std::function<void(int, int)>;

/// Tunes an optimistic engine in at least 1 round, better 5 or more. Gains under 2 % do not count.
[[nodiscard]] Tuning tune(const Engine& start, const MeasureRate& measure, int rounds,
                          const TuningProgress& progress = {});

/// The maximum number of runs of tune() for this engine.
[[nodiscard]] int runs_of_tuning(const Engine& start, int rounds);

/// The result of a step: "exchange: rings stays; the rates of the others: mutex x 1 81 %, ...".
[[nodiscard]] std::string words_of(const TuningStep& step);

}  // namespace laxity::timewarp
