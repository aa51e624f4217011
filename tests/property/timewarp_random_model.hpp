// A random model from a seed: the receivers, delays, numbers and priorities of the events that a process sends. A handler
// depends on all events that its process has handled, so that an event handled in a wrong order changes what follows.
//
// Every event carries energy: handling it takes one unit, and the rest is divided among the events that it sends. The number
// of events is therefore bounded for all delays, including 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "laxity/timewarp/collectors.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::timewarp {

/// The parameters of the model with this seed.
struct Recipe {
  explicit Recipe(std::uint64_t seed) {
    SeededRandom random(seed);
    constexpr LpId sizes[] = {1, 2, 3, 5, 8, 13, 30, 80};
    processes = sizes[random.below(8)];
    degree = 1 + random.below(4);
    draw_graph(random);
    first_events = random.below(8) == 0 ? 0 : 1 + random.below(4);
    energy = 1 + random.below(random.below(4) == 0 ? 400 : 60);
    max_sent = 1 + random.below(random.below(4) == 0 ? 8 : 3);
    for (std::uint32_t& weight : delay_weights) weight = random.below(3) == 0 ? 1 + random.below(10) : 0;
    if (random.below(2) == 0) delay_weights[0] += 10;
    delay_weights[random.below(delay_kinds)] += 1;  // so that there is one
    priorities = random.below(2) == 0 ? 1 : 1 + random.below(4);
    ends_early = random.below(3) == 0;
    constexpr std::uint64_t rarities[] = {0, 0, 0, 0, 300, 3000};
    end_rarity = rarities[random.below(6)];
    constexpr double distances[] = {0, 0, 0, 0.3, 1, 4};
    if (end_rarity == 0) lookahead = distances[random.below(6)];
  }

  void draw_graph(SeededRandom& random) {
    const std::uint32_t shape = random.below(5);
    const LpId hub = random.below(processes);
    for (LpId lp = 0; lp < processes; ++lp) {
      for (std::uint32_t i = 0; i < degree; ++i) {
        LpId to = random.below(processes);                    // at random
        if (shape == 1) to = (lp + 1 + i) % processes;        // a ring
        if (shape == 2) to = lp ^ 1;                          // pairs that play ping-pong
        if (shape == 3 && i == 0) to = hub;                   // all talk to one
        if (shape == 4) to = random.below(8) == 0 ? to : lp;  // mostly to themselves
        receivers.push_back(std::min(to, processes - 1));
      }
    }
  }

  static constexpr std::uint32_t delay_kinds = 7;

  LpId processes;
  std::uint32_t degree;
  std::vector<LpId> receivers{};  // `degree` of each process
  std::uint32_t first_events;
  std::uint32_t energy;
  std::uint32_t max_sent;                         // by one event
  std::uint32_t delay_weights[delay_kinds] = {};  // see RandomModel::send
  std::uint32_t priorities;
  bool ends_early;           // so that events are dropped at the end time
  std::uint64_t end_rarity;  // one in this number of states ends the run; 0: none
  double lookahead = 0;      // the minimum delay of events to other processes
};

/// The committed events of each process in the order of its commit() calls; unlike the digest it depends on the order.
using CommitLog = std::vector<std::uint64_t>;

/// The values of State::memory that occur in a sequential run.
using Memories = std::unordered_set<std::uint64_t>;

template <class T, StateSaving saving = StateSaving::copy>
struct RandomModel {
  using Time = T;
  static constexpr StateSaving state_saving = saving;
  struct Event {
    std::uint64_t value;
    std::uint64_t energy;
  };
  struct State {
    std::uint64_t memory = 0;
    std::uint64_t seen = 0;
  };

  struct Collectors {
    std::uint64_t events = 0;
    Tally values;  // of all magnitudes, so that rounded sums would depend on their order
    Histogram<8> energies{0, 32};
    TimeSeries<4, double> amounts{8};
    void merge(const Collectors& other) {
      events += other.events;
      values.merge(other.values);
      energies.merge(other.energies);
      amounts.merge(other.amounts);
    }
    bool operator==(const Collectors&) const = default;
  };

  Recipe recipe;
  CommitLog* log = nullptr;         // of `processes` words; nobody listens if null
  Memories* reached = nullptr;      // collects, if not null
  const Memories* right = nullptr;  // if not null, handlers fail with most others: optimism may lead there, for a while

  void init(Context<RandomModel>& lp) const {
    for (std::uint32_t i = 0; i < recipe.first_events; ++i) {
      send(lp, {lp.random().bits(), 1 + lp.random().below(recipe.energy)});
    }
  }

  void handle(Context<RandomModel>& lp, const Event& event) const {
    State& state = lp.state();
    ++state.seen;
    state.memory = detail::mixed(state.memory, event.value);
    if (reached != nullptr) reached->insert(state.memory);
    if (right != nullptr && state.memory % 4 != 0 && !right->contains(state.memory)) throw Error("a wrong state");
    const std::uint64_t sends = std::min(event.energy - 1, state.memory % (recipe.max_sent + 1));
    std::uint64_t energy = event.energy - 1;
    for (std::uint64_t i = sends; i > 0; --i) {
      const std::uint64_t part = i == 1 ? energy : 1 + lp.random().bits() % (energy - i + 1);
      energy -= part;
      send(lp, {detail::mixed(state.memory, i), part});
    }
  }

  // The inverse of detail::mixed(), which multiplies by the inverse of this number.
  void reverse(Context<RandomModel>& lp, const Event& event) const {
    State& state = lp.state();
    --state.seen;
    const std::uint64_t product = state.memory ^ (state.memory >> 32);
    state.memory = (product * 0x4f74430c22a54005U) ^ event.value;
  }

  [[nodiscard]] bool ends(LpId, const State& state) const {
    return recipe.end_rarity != 0 && state.memory % recipe.end_rarity == 0;
  }

  [[nodiscard]] T lookahead() const { return static_cast<T>(std::ceil(recipe.lookahead * unit) / unit); }

  void commit(const Committed<RandomModel>& lp, const Event& event) const {
    Collectors& collectors = lp.collectors();
    const double value = std::ldexp(static_cast<double>(event.value), -static_cast<int>(event.value % 128));
    ++collectors.events;
    collectors.values.add(value);
    collectors.energies.add(static_cast<double>(event.energy));
    collectors.amounts.add(static_cast<double>(lp.now()), event.value % 2 == 0 ? value : -value);
    if (log == nullptr) return;
    std::uint64_t& word = (*log)[lp.self()];
    word = detail::mixed(detail::mixed(word, event.value), TimeBits<T>::of(lp.now()));
  }

 private:
  static constexpr double unit = std::is_integral_v<T> ? 1 : 10;

  void send(Context<RandomModel>& lp, const Event& event) const {
    RandomStream& random = lp.random();
    const LpId to = recipe.receivers[lp.self() * recipe.degree + random.below(recipe.degree)];
    const auto priority = static_cast<Priority>(random.below(recipe.priorities));
    const T further = to == lp.self() ? T{0} : lookahead();
    switch (drawn_kind(random)) {
      case 0:
        return lp.send(to, further + static_cast<T>(1) + random.below(4), event, priority);  // often at equal times
      case 1:
        return further > 0 ? lp.send(to, further, event, priority) : lp.send_now(to, event, priority);
      case 2:
        return lp.send(to, further + fine(random.unit() + 1e-3, random), event, priority);  // no lookahead
      case 3:
        return lp.send(to, further + fine(-8 * std::log(random.unit() + 1e-9), random), event, priority);
      case 4:
        return lp.send(to, further + fine(1e-300, random), event, priority);  // does not move a double clock
      case 5:
        return lp.send(to, further + static_cast<T>(1 + (event.value & 1) * 1000), event, priority);  // near and far
      default:
        return lp.send(to, further + static_cast<T>(1), event, priority);  // always at equal times
    }
  }

  [[nodiscard]] std::uint32_t drawn_kind(RandomStream& random) const {
    std::uint32_t all = 0;
    for (const std::uint32_t weight : recipe.delay_weights) all += weight;
    std::uint32_t drawn = random.below(all);
    std::uint32_t kind = 0;
    while (drawn >= recipe.delay_weights[kind]) drawn -= recipe.delay_weights[kind++];
    return kind;
  }

  // Returns this delay; the next positive integer for a model of integer time.
  [[nodiscard]] static T fine(double delay, RandomStream& random) {
    if constexpr (std::is_integral_v<T>) {
      return 1 + static_cast<T>(std::abs(delay) * random.below(3));
    } else {
      return std::abs(delay) + 1e-300;
    }
  }
};

template <class M>
[[nodiscard]] Simulation<M> random_simulation(std::uint64_t seed) {
  Recipe recipe(seed);
  const LpId processes = recipe.processes;
  const auto end = static_cast<typename M::Time>(recipe.ends_early ? 6 : 1'000'000);
  return {{std::move(recipe)}, {processes, end}, seed};
}

/// The result that every other run of the simulation must equal.
template <class M>
struct Expected {
  Result<M> result;
  CommitLog log;
  Memories reached;
};

template <class M>
[[nodiscard]] Expected<M> sequential_run_of(Simulation<M> simulation) {
  Expected<M> expected{{}, CommitLog(simulation.bounds.logical_processes), {}};
  simulation.model.log = &expected.log;
  simulation.model.reached = &expected.reached;
  expected.result = run_sequential(simulation, {.digest = true, .max_events = 1 << 20});
  return expected;
}

/// Calls `attempt` with a RandomModel type that depends on the seed.
template <class Attempt>
void with_model_of(std::uint64_t seed, Attempt attempt) {
  switch (seed % 6) {
    case 0:
      return attempt(std::type_identity<RandomModel<double>>{});
    case 1:
      return attempt(std::type_identity<RandomModel<std::int64_t>>{});
    case 2:
      return attempt(std::type_identity<RandomModel<double, StateSaving::periodic>>{});
    case 3:
      return attempt(std::type_identity<RandomModel<std::int64_t, StateSaving::periodic>>{});
    case 4:
      return attempt(std::type_identity<RandomModel<double, StateSaving::reverse>>{});
    default:
      return attempt(std::type_identity<RandomModel<std::int64_t, StateSaving::reverse>>{});
  }
}

}  // namespace laxity::timewarp
