// What a model is: logical processes that handle events and send new ones.
//
//   struct Ping {
//     using Time = double;                 // or std::int64_t; 0 and up
//     struct State { long seen = 0; };     // of one logical process; copied to be rolled back
//     struct Event { int hops; };
//     void init(Context<Ping>& lp) const { lp.send(lp.self(), 1.0, Event{3}); }
//     void handle(Context<Ping>& lp, const Event& event) const { ++lp.state().seen; }
//   };
//
// The engines call one model object from several threads, or copies of it in several processes: its functions are const
// and all that changes is in State. A handler may be called for events that are taken back later, so it does nothing
// that cannot be: no output, no global variables, no clock. Output belongs in commit(), which is called once for every
// event that stays, for one logical process in the order of keys.
//
// Optional:
//   void commit(const Committed<Ping>& lp, const Event& event) const;   // this event is final
//   void finish(LpId self, const State& state) const;                   // in the caller's thread, after the run
//   bool ends(LpId self, const State& state) const;                     // the run ends at the time of the event that has
//                                                                       // left this state; see below
//   Time lookahead() const;                                             // what one process sends to another comes at
//                                                                       // least so much later; see below
//   std::uint64_t digest(const Event&) const, digest(const State&) const;   // instead of their bytes, see digest.hpp
//
// A run ends at its end time, or earlier: at the least time at which an event leaves a process in a state for which
// ends() holds. All events of that time still belong to the run, none of a later one does. ends() is a function of the
// state alone; it is asked after every event, and an end that was found too early is taken back with its event.
//
// lookahead() spares the optimistic engine much: what lies within it of global virtual time is final as soon as it is
// handled. Sending to another process with less delay is an error in every engine; init() may. It is the same throughout a
// run, and 0 (nothing is known) in one that ends() might end.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985). Elsewhere: what a handler can call (context.hpp).
#pragma once

#include <concepts>
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
concept ModelWithLookahead = requires(const M& model) {
  { model.lookahead() } -> std::same_as<typename M::Time>;
};

/// A handler that broke a rule: an event in the past, a receiver that does not exist. Names process, time and sender.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// Units of simulated time, 0 if nothing is known. Throws ModelError if it is negative or not a number.
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
