// The concept of a model: logical processes that handle events and send new ones.
//
//   struct Ping {
//     using Time = double;                 // or std::int64_t; not negative
//     struct State { long seen = 0; };     // of one logical process; trivially copyable, for rollback
//     struct Event { int hops; };
//     void init(Context<Ping>& lp) const { lp.send(lp.self(), 1.0, Event{3}); }
//     void handle(Context<Ping>& lp, const Event& event) const { ++lp.state().seen; }
//   };
//
// The engines call one model object from several threads, or copies of it in several processes: its functions are
// const, and everything that changes is in State. An event may be rolled back after its handler has run, so a handler
// has no other effects: no output, no global variables, no clock. Output belongs in commit(), which is called once for
// every committed event, in the order of keys for each logical process.
//
// Optional:
//   void commit(const Committed<Ping>& lp, const Event& event) const;   // the event is irrevocable
//   void finish(LpId self, const State& state) const;                   // once, in the caller's thread, after the run;
//                                                                       // of ranks: in the first
//   bool ends(LpId self, const State& state) const;                     // the run ends at the time of the event that
//                                                                       // has left this state; see below
//   struct Collectors { ...; void merge(const Collectors&); };          // what commit() collects over all processes;
//                                                                       // trivially copyable (collectors.hpp)
//   Collectors collectors() const;                                      // empty ones, if those are not {}
//   void at_gvt(const GvtReached<Ping>& here) const;                    // each worker calls it after each GVT round
//   Time lookahead() const;                                             // the minimum delay of events that a process
//                                                                       // sends to another; see below
//   static constexpr std::size_t random_streams = 2;                    // of each process: random<0>(), random<1>()
//   using Random = SeededRandom;                                        // instead of RandomStream (random_stream.hpp)
//   std::uint64_t digest(const Event&) const, digest(const State&) const;   // instead of hashes of their bytes, see
//   digest.hpp
//
// A run ends at its end time, or earlier: at the least time at which an event leaves a process in a state for which
// ends() is true. All events of that time still belong to the run, later ones do not. ends() is a function of the state
// alone. It is called after every event; an end is rolled back with the event that caused it.
//
// With lookahead() the optimistic engine needs no history for events inside the lookahead window, as they cannot be
// rolled back (lookahead_horizon.hpp). In every engine, sending to another process with a smaller delay is an error,
// except in init(). lookahead() is constant throughout a run; it is 0, which means unknown, if ends() may end the run.
//
// An exception of a handler ends the run with a ModelError once its event is irrevocable. Before that, the handler may
// have run on a state that is rolled back later, which a sequential run never reaches: a queue that is empty although a
// customer leaves it, a divisor that is 0. Such an event is handled again later. A loop in a handler must end for every
// state, since nothing interrupts a handler.
//
// Threads: a model is used by all workers at the same time. Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985).
// Elsewhere: what a handler can call (context.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "laxity/error.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

template <class M>
class Context;

template <class M>
class Committed;

template <class M>
struct GvtReached;

template <class M>
concept Model = std::is_trivially_copyable_v<typename M::Event> && std::is_trivially_copyable_v<typename M::State> &&
                std::default_initializable<typename M::State> &&
                (std::same_as<typename M::Time, double> || std::same_as<typename M::Time, std::int64_t>)&&requires(
                    const M& model, Context<M>& context, const typename M::Event& event) {
                  model.init(context);
                  model.handle(context, event);
                };

template <class M>
concept ModelThatCommits =
    requires(const M& model, const Committed<M>& lp, const typename M::Event& event) { model.commit(lp, event); };

template <class M>
concept ModelThatFinishes = requires(const M& model, const typename M::State& state) { model.finish(LpId{}, state); };

template <class M>
concept ModelThatEnds = requires(const M& model, const typename M::State& state) {
  { model.ends(LpId{}, state) } -> std::same_as<bool>;
};

template <class M>
concept ModelThatCollects = requires { typename M::Collectors; };

template <class M>
concept ModelThatListensToGvt = requires(const M& model, const GvtReached<M>& here) { model.at_gvt(here); };

template <class M>
concept ModelWithLookahead = requires(const M& model) {
  { model.lookahead() } -> std::same_as<typename M::Time>;
};

/// The collectors of a model that has none.
struct NoCollectors {
  void merge(const NoCollectors&) noexcept {}
};

namespace detail {

template <class M>
struct CollectorsType {
  using Type = NoCollectors;
};
template <ModelThatCollects M>
struct CollectorsType<M> {
  using Type = typename M::Collectors;
  static_assert(std::is_trivially_copyable_v<Type>, "workers of several processes merge their collectors");
  static_assert(sizeof(Type) <= std::size_t{1} << 18, "collectors lie on the stack");
};

}  // namespace detail

template <class M>
using CollectorsOf = typename detail::CollectorsType<M>::Type;

/// Empty collectors.
template <class M>
[[nodiscard]] CollectorsOf<M> first_collectors(const M& model) {
  if constexpr (requires { model.collectors(); }) {
    return model.collectors();
  } else {
    return {};
  }
}

/// How states are restored: the choice of a model, by default copy (state_saving.hpp).
enum class StateSaving { copy, periodic, reverse };

template <class M>
[[nodiscard]] consteval StateSaving state_saving_of() {
  if constexpr (requires { M::state_saving; }) {
    return M::state_saving;
  } else {
    return StateSaving::copy;
  }
}

/// The model has violated a rule, for example by an event in the past. Names the process, its time and the sender.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// "logical process 3 at time 0.25 (event of 7)".
template <class Time>
[[nodiscard]] std::string place_of(LpId self, Time now, const std::string& what) {
  return "logical process " + std::to_string(self) + " at time " + std::to_string(now) + " (" + what + ")";
}

/// In a catch block around a function of the model: throws a ModelError, `place` and the text of the exception. What is
/// a ModelError already names its place, and passes.
[[noreturn]] void throw_model_error(const std::string& place);

/// The lookahead in units of simulated time; 0 if the model has none. Throws ModelError if it is negative or not a
/// number.
template <Model M>
[[nodiscard]] typename M::Time lookahead_of(const M& model) {
  if constexpr (ModelWithLookahead<M>) {
    const auto lookahead = model.lookahead();
    if (!(lookahead >= 0))
      throw ModelError("the lookahead of the model is " + std::to_string(lookahead) + ", must be at least 0");
    return lookahead;
  } else {
    return 0;
  }
}

}  // namespace laxity::timewarp
