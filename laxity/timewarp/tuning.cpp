#include "laxity/timewarp/tuning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "laxity/median.hpp"

namespace laxity::timewarp {
namespace {

constexpr double min_gain = 1.02;  // smaller gains may be noise

using Choices = std::vector<TuningChoice>;

// The choices of one part. The current choice comes first.
class PartOf {
 public:
  explicit PartOf(const Engine& current) : current_(current) {}

  template <class Set>
  void add(const std::string& name, bool is_current, Set set) {
    TuningChoice choice{.name = name, .engine = current_};
    set(choice.engine);
    choices_.insert(is_current ? choices_.begin() : choices_.end(), std::move(choice));
  }
  [[nodiscard]] Choices choices() { return std::move(choices_); }

 private:
  const Engine& current_;
  Choices choices_;
};

Choices queues(const Engine& current) {
  PartOf part(current);
  for (const Queue queue : all_queues) {
    part.add(std::string(name_of(queue)), queue == current.queue, [=](Engine& engine) { engine.queue = queue; });
  }
  return part.choices();
}

Choices exchanges(const Engine& current) {
  PartOf part(current);
  const std::size_t half = static_cast<std::size_t>(std::max(1, current.options.threads / 2));
  for (const ExchangeKind kind : all_exchanges) {
    const bool is_rings = kind == ExchangeKind::rings;
    const bool is_for_processes = kind == ExchangeKind::attach;
    const bool has_processes = current.options.processes > 0;
    if (!is_rings && (is_for_processes != has_processes || current.queue != Queue::bucket)) continue;
    for (const std::size_t queues_each : {half, 2 * half}) {
      if (!has_queues(kind) && queues_each != half) continue;
      const std::string name =
          std::string(name_of(kind)) + (has_queues(kind) ? " x " + std::to_string(queues_each) : "");
      const bool same = kind == current.exchange && (!has_queues(kind) || queues_each == current.queues);
      part.add(name, same, [=](Engine& engine) {
        engine.exchange = kind;
        engine.queues = queues_each;
      });
    }
  }
  return part.choices();
}

Choices events(const Engine& current) {
  PartOf part(current);
  for (const SentEvents sent : all_sent_events) {
    if (sent == SentEvents::shared && (current.options.processes > 0 || current.options.threads == 1)) continue;
    part.add(std::string(name_of(sent)), sent == current.options.worker.events,
             [=](Engine& engine) { engine.options.worker.events = sent; });
  }
  return part.choices();
}

Choices optimisms(const Engine& current) {
  PartOf part(current);
  for (const Optimism control : all_optimisms) {
    part.add(std::string(name_of(control)), control == current.options.worker.optimism,
             [=](Engine& engine) { engine.options.worker.optimism = control; });
  }
  return part.choices();
}

// The current value, a quarter of it and four times it.
template <class Value>
Choices scaled(const Engine& current, Value WorkerOptions::*value) {
  PartOf part(current);
  const Value now = current.options.worker.*value;
  for (const Value tried : {now, std::max<Value>(1, now / 4), static_cast<Value>(4 * now)}) {
    part.add(std::to_string(tried), tried == now, [=](Engine& engine) { engine.options.worker.*value = tried; });
  }
  return part.choices();
}

Choices gvt_intervals(const Engine& current) { return scaled(current, &WorkerOptions::gvt_interval); }
Choices turns(const Engine& current) { return scaled(current, &WorkerOptions::turn); }

// The current team, its workers as threads or as processes, and the sequential engine.
Choices teams(const Engine& current) {
  PartOf part(current);
  const int workers = current.workers();
  part.add(team_of(current), true, [](Engine&) {});
  const auto add = [&](int threads, int processes) {
    Engine other = current;
    other.options.threads = threads;
    other.options.processes = processes;
    other.exchange = ExchangeKind::rings;
    other.options.worker.events = SentEvents::copied;
    if (team_of(other) != team_of(current)) part.add(team_of(other), false, [&](Engine& engine) { engine = other; });
  };
  add(workers, 0);
  add(1, workers);
  part.add("sequential", false, [](Engine& engine) {
    engine.sequential = true;
    engine.exchange = ExchangeKind::rings;
  });
  return part.choices();
}

struct Part {
  const char* name;
  Choices (*choices)(const Engine&);
};
constexpr std::array parts = {Part{"pending-event set", queues},
                              Part{"exchange", exchanges},
                              Part{"events", events},
                              Part{"optimism control", optimisms},
                              Part{"GVT interval", gvt_intervals},
                              Part{"turn", turns},
                              Part{"team", teams}};

// The first choice stays unless another was faster in nearly every round and by at least min_gain.
void judge(TuningStep& step) {
  const std::vector<double>& current = step.choices.front().rates;
  const auto rounds = static_cast<int>(current.size());
  const int enough = rounds - rounds / 8;  // by chance in at most 1 of 28 cases, from five rounds on
  for (std::size_t i = 1; i < step.choices.size(); ++i) {
    TuningChoice& choice = step.choices[i];
    std::vector<double> ratios;
    for (std::size_t round = 0; round < current.size(); ++round) {
      ratios.push_back(current[round] > 0 ? choice.rates[round] / current[round] : 0);
      choice.rounds_ahead += ratios.back() > 1;
    }
    choice.ratio = median(ratios);
    const bool is_faster = choice.ratio >= min_gain && choice.rounds_ahead >= enough;
    if (is_faster && choice.ratio > step.choices[step.chosen].ratio) step.chosen = i;
  }
}

}  // namespace

int runs_of_tuning(const Engine& start, int rounds) {
  std::size_t runs = 0;
  for (const Part& part : parts) runs += part.choices(start).size();
  return static_cast<int>(runs) * rounds;
}

Tuning tune(const Engine& start, const MeasureRate& measure, int rounds, const TuningProgress& progress) {
  Tuning tuning{.steps = {}, .engine = start};
  const int all = runs_of_tuning(start, rounds);
  int made = 0;
  for (const Part& part : parts) {
    TuningStep step{.part = part.name, .choices = part.choices(tuning.engine)};
    if (step.choices.size() < 2) continue;
    for (int round = 0; round < rounds; ++round) {
      for (TuningChoice& choice : step.choices) {
        if (progress) progress(made++, all);
        choice.rates.push_back(measure(choice.engine));
      }
    }
    judge(step);
    tuning.engine = step.choices[step.chosen].engine;
    tuning.rate = median(step.choices[step.chosen].rates);
    tuning.steps.push_back(std::move(step));
  }
  return tuning;
}

std::string words_of(const TuningStep& step) {
  const TuningChoice& chosen = step.choices[step.chosen];
  const auto share = [&](const TuningChoice& choice) {
    const std::string hundredths = std::to_string(std::lround(100 * choice.ratio / chosen.ratio));
    return hundredths + " %";
  };
  std::string others;
  for (const TuningChoice& choice : step.choices) {
    if (&choice != &chosen) others += (others.empty() ? "" : ", ") + choice.name + " " + share(choice);
  }
  return step.part + ": " + chosen.name + (step.chosen == 0 ? " stays" : " instead of " + step.choices[0].name) +
         "; the rates of the others: " + others;
}

}  // namespace laxity::timewarp
