#include "laxity/timewarp/tuning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "laxity/median.hpp"

namespace laxity::timewarp {
namespace {

constexpr double min_gain = 1.02;  // below, the next run may say the opposite

using Choices = std::vector<TuningChoice>;

// The choices of one part beside the one at hand, which comes first.
class PartOf {
 public:
  explicit PartOf(const Engine& at_hand) : at_hand_(at_hand) {}

  template <class Set>
  void add(const std::string& name, bool is_at_hand, Set set) {
    TuningChoice choice{.name = name, .engine = at_hand_};
    set(choice.engine);
    choices_.insert(is_at_hand ? choices_.begin() : choices_.end(), std::move(choice));
  }
  [[nodiscard]] Choices take() { return std::move(choices_); }

 private:
  const Engine& at_hand_;
  Choices choices_;
};

Choices queues(const Engine& at_hand) {
  PartOf part(at_hand);
  for (const Queue queue : all_queues) {
    part.add(std::string(name_of(queue)), queue == at_hand.queue, [=](Engine& engine) { engine.queue = queue; });
  }
  return part.take();
}

Choices exchanges(const Engine& at_hand) {
  PartOf part(at_hand);
  const std::size_t half = static_cast<std::size_t>(std::max(1, at_hand.options.threads / 2));
  for (const ExchangeKind kind : all_exchanges) {
    const bool is_rings = kind == ExchangeKind::rings;
    const bool is_for_processes = kind == ExchangeKind::attach;
    const bool has_processes = at_hand.options.processes > 0;
    if (!is_rings && (is_for_processes != has_processes || at_hand.queue != Queue::bucket)) continue;
    for (const std::size_t queues_each : {half, 2 * half}) {
      if (!has_queues(kind) && queues_each != half) continue;
      const std::string name =
          std::string(name_of(kind)) + (has_queues(kind) ? " x " + std::to_string(queues_each) : "");
      const bool same = kind == at_hand.exchange && (!has_queues(kind) || queues_each == at_hand.queues);
      part.add(name, same, [=](Engine& engine) {
        engine.exchange = kind;
        engine.queues = queues_each;
      });
    }
  }
  return part.take();
}

Choices events(const Engine& at_hand) {
  PartOf part(at_hand);
  for (const SentEvents sent : all_sent_events) {
    if (sent == SentEvents::shared && (at_hand.options.processes > 0 || at_hand.options.threads == 1)) continue;
    part.add(std::string(name_of(sent)), sent == at_hand.options.worker.events,
             [=](Engine& engine) { engine.options.worker.events = sent; });
  }
  return part.take();
}

Choices optimisms(const Engine& at_hand) {
  PartOf part(at_hand);
  for (const Optimism control : all_optimisms) {
    part.add(std::string(name_of(control)), control == at_hand.options.worker.optimism,
             [=](Engine& engine) { engine.options.worker.optimism = control; });
  }
  return part.take();
}

// The value at hand, a fourth and four times of it.
template <class Value>
Choices scaled(const Engine& at_hand, Value WorkerOptions::*value) {
  PartOf part(at_hand);
  const Value now = at_hand.options.worker.*value;
  for (const Value tried : {now, std::max<Value>(1, now / 4), static_cast<Value>(4 * now)}) {
    part.add(std::to_string(tried), tried == now, [=](Engine& engine) { engine.options.worker.*value = tried; });
  }
  return part.take();
}

Choices gvt_intervals(const Engine& at_hand) { return scaled(at_hand, &WorkerOptions::gvt_interval); }
Choices turns(const Engine& at_hand) { return scaled(at_hand, &WorkerOptions::turn); }

// The team at hand, its workers as threads or as processes, or one thread without rollback.
Choices teams(const Engine& at_hand) {
  PartOf part(at_hand);
  const int workers = at_hand.workers();
  part.add(team_of(at_hand), true, [](Engine&) {});
  const auto add = [&](int threads, int processes) {
    Engine other = at_hand;
    other.options.threads = threads;
    other.options.processes = processes;
    other.exchange = ExchangeKind::rings;
    other.options.worker.events = SentEvents::copied;
    if (team_of(other) != team_of(at_hand)) part.add(team_of(other), false, [&](Engine& engine) { engine = other; });
  };
  add(workers, 0);
  add(1, workers);
  part.add("sequential", false, [](Engine& engine) {
    engine.sequential = true;
    engine.exchange = ExchangeKind::rings;
  });
  return part.take();
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

// The first stays unless another was faster in nearly every round, and by more than chance.
void judge(TuningStep& step) {
  const std::vector<double>& at_hand = step.choices.front().rates;
  const auto rounds = static_cast<int>(at_hand.size());
  const int enough = rounds - rounds / 8;  // by chance in at most 1 of 28 cases, from five rounds on
  for (std::size_t i = 1; i < step.choices.size(); ++i) {
    TuningChoice& choice = step.choices[i];
    std::vector<double> ratios;
    for (std::size_t round = 0; round < at_hand.size(); ++round) {
      ratios.push_back(at_hand[round] > 0 ? choice.rates[round] / at_hand[round] : 0);
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
         "; of its rate reach " + others;
}

}  // namespace laxity::timewarp
