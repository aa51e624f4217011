// The context of a handler: its logical process and time, its state, its random numbers, and send().
//
// The same class serves every engine, and every engine calls handlers through the same function (call_handler), so that
// all modes execute the same instructions: with fused multiply-add, two inlined copies of one formula may differ in the
// last bit.
//
// Sent events are collected here; the engine delivers them when the handler has returned. Threads: one context per
// worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/require_option.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"

namespace laxity::timewarp {

/// The bounds of a simulation.
template <class M>
struct Bounds {
  LpId logical_processes = 1;   ///< at least 1
  typename M::Time end_time{};  ///< events at or past it are dropped; not negative
};

/// Throws UsageError for a simulation without processes, and for an end time that is negative or not a number.
template <class M>
void require_valid(const Bounds<M>& bounds) {
  require_option(bounds.logical_processes >= 1, "logical_processes", bounds.logical_processes, "must be at least 1");
  require_option(bounds.end_time >= 0, "end_time", bounds.end_time, "must be a number that is not negative");
}

template <class M>
class Context {
 public:
  using Time = typename M::Time;
  using Event = typename M::Event;
  using State = typename M::State;

  /// An event that a handler has sent.
  struct Sent {
    Key key;
    LpId receiver;
    Event event;
  };

  /// Throws UsageError as require_valid(), ModelError if the model's lookahead is negative or not a number.
  Context(const M& model, const Bounds<M>& bounds)
      : bounds_(bounds), layout_(bounds.logical_processes), lookahead_(lookahead_of(model)) {
    require_valid(bounds);
  }

  /// The logical process that handles the event.
  [[nodiscard]] LpId self() const noexcept { return self_; }
  [[nodiscard]] LpId logical_processes() const noexcept { return bounds_.logical_processes; }
  /// The time of the event that is handled; 0 in init().
  [[nodiscard]] Time now() const noexcept { return TimeBits<Time>::time(key_.time); }
  [[nodiscard]] Time end_time() const noexcept { return bounds_.end_time; }

  /// The state of this process; rolled back with its events.
  [[nodiscard]] State& state() noexcept { return state_->model; }
  /// The first random stream of this process, rolled back with the state.
  [[nodiscard]] RandomOf<M>& random() noexcept { return state_->random[0]; }
  /// One of several, for a model with `static constexpr std::size_t random_streams`.
  template <std::size_t stream>
  [[nodiscard]] RandomOf<M>& random() noexcept {
    return std::get<stream>(state_->random);
  }

  /// Sends an event that `to` handles at now() + delay. Events at or past the end time are dropped. Throws ModelError
  /// if delay is not positive, or less than the model's lookahead if it is sent to another process, or `to` does not
  /// exist.
  // Always inlined, so that the event is constructed in place.
  [[gnu::always_inline]] void send(LpId to, Time delay, const Event& event, Priority priority = 0) {
    if (!(delay > Time{0}) || to >= bounds_.logical_processes || is_too_near(to, delay)) [[unlikely]]
      refuse(to, delay);
    const Time now = this->now();
    if (!(delay < bounds_.end_time - now) || !(now + delay < bounds_.end_time)) [[unlikely]] {
      ++state_->sent;
      return;
    }
    const std::uint64_t time = TimeBits<Time>::of(now + delay);
    // A delay may be too small to change the time. Then the event must order after the event that sends it.
    put(to, time, time == key_.time ? after(priority, to) : priority, event);
  }

  /// Sends an event that `to` handles at this same time, after this event: with the given priority, or with the next
  /// above this event's if that is higher. Throws ModelError if `to` does not exist, or is another process and the
  /// model has a lookahead, or 65535 such events have followed one another at one time.
  void send_now(LpId to, const Event& event, Priority priority = 0) {
    if (to >= bounds_.logical_processes || is_too_near(to, Time{0})) [[unlikely]]
      refuse(to, Time{0});
    put(to, key_.time, after(priority, to), event);
  }

  // For engines: begins to handle an event; with `starting`, begins init().
  void begin(LpId self, Key key, LpState<M>& state, bool starting = false) noexcept {
    self_ = self;
    key_ = key;
    state_ = &state;
    starting_ = starting;
    sent_.clear();
  }
  [[nodiscard]] const std::vector<Sent>& sent() const noexcept { return sent_; }
  [[nodiscard]] const TieLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] Time lookahead() const noexcept { return lookahead_; }
  /// For error messages: the process, the time, and the sender of the event that is handled.
  [[nodiscard]] std::string place() const {
    return place_of(self_, now(), starting_ ? "in init()" : "event of " + std::to_string(layout_.sender(key_.tie)));
  }
  /// Call when the event that was handled ends the run. Throws ModelError if the model has a lookahead.
  void check_end() const {
    if (lookahead_ > Time{0}) [[unlikely]]
      fail_end();
  }

 private:
  [[nodiscard]] bool is_too_near(LpId to, Time delay) const noexcept {
    if constexpr (ModelWithLookahead<M>) return delay < lookahead_ && to != self_ && !starting_;
    return false;
  }

  [[gnu::always_inline]] void put(LpId to, std::uint64_t time, Priority priority, const Event& event) {
    const std::uint64_t sequence = state_->sent++;
    if (sequence >= layout_.max_sequences()) [[unlikely]]
      fail(to, "it has sent more events than keys can count");
    sent_.push_back({{time, layout_.tie(priority, self_, sequence)}, to, event});
  }

  [[nodiscard]] Priority after(Priority priority, LpId to) const {
    if (starting_ || priority > key_.priority()) return priority;
    if (key_.priority() == 0xffff) [[unlikely]]
      fail(to, "65535 events without delay have followed one another");
    return static_cast<Priority>(key_.priority() + 1);
  }

  [[noreturn, gnu::noinline, gnu::cold]] void refuse(LpId to, Time delay) const {
    if (to >= bounds_.logical_processes) {
      fail(to, "there is no such process; the number of processes is " + std::to_string(bounds_.logical_processes));
    }
    if (delay != delay) fail(to, "the delay is not a number");
    if (delay < Time{0}) fail(to, "the delay is " + std::to_string(delay) + ", an event in the past");
    if (is_too_near(to, delay)) {
      fail(to, "the delay is " + std::to_string(delay) + ", less than the model's lookahead of " +
                   std::to_string(lookahead_));
    }
    fail(to, "the delay is 0; to send without delay, use send_now()");
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail(LpId to, const std::string& what) const {
    throw ModelError(place() + " sends to " + std::to_string(to) + ": " + what);
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_end() const {
    throw ModelError(place() +
                     " ends the run: a model that does so must have no lookahead; its lookahead() must return 0");
  }

  Bounds<M> bounds_;
  TieLayout layout_;
  Time lookahead_;
  LpId self_ = 0;
  bool starting_ = false;
  Key key_;
  LpState<M>* state_ = nullptr;
  std::vector<Sent> sent_;
};

/// The context of commit().
template <class M>
class Committed {
 public:
  /// `state`: the state after the event. `collectors`: of the worker.
  Committed(const TieLayout& layout, LpId self, const Key& key, const typename M::State* state,
            CollectorsOf<M>& collectors) noexcept
      : layout_(layout), self_(self), key_(key), state_(state), collectors_(collectors) {}

  [[nodiscard]] LpId self() const noexcept { return self_; }
  /// The process that sent the event.
  [[nodiscard]] LpId sender() const noexcept { return layout_.sender(key_.tie); }
  [[nodiscard]] typename M::Time now() const noexcept { return TimeBits<typename M::Time>::time(key_.time); }
  /// The state that the event has left. Only for models whose states are copied before every event: with other state
  /// saving it is not kept until the commit.
  [[nodiscard]] const typename M::State& state() const noexcept {
    static_assert(state_saving_of<M>() == StateSaving::copy, "commit() can see the state with StateSaving::copy only");
    return *state_;
  }
  /// Where to add what the event has to tell (collectors.hpp).
  [[nodiscard]] CollectorsOf<M>& collectors() const noexcept
    requires ModelThatCollects<M>
  {
    return collectors_;
  }
  [[nodiscard]] std::string place() const {
    return place_of(self_, now(), "commit() of an event of " + std::to_string(sender()));
  }

 private:
  TieLayout layout_;
  LpId self_;
  Key key_;
  const typename M::State* state_;
  CollectorsOf<M>& collectors_;
};

/// What at_gvt() is told. All events of this worker below `gvt` are committed, perhaps later ones too. The values of
/// GVT differ from run to run; a sequential run has a round every 65536 events.
template <class M>
struct GvtReached {
  int worker;
  typename M::Time gvt;               ///< may equal that of the round before
  const CollectorsOf<M>& collectors;  ///< of this worker
};

/// Calls the handler of an event. All engines call handlers through this function. Throws ModelError with the place and
/// the text of what the handler throws.
template <Model M>
[[gnu::noinline]] void call_handler(const M& model, Context<M>& context, const typename M::Event& event) {
  try {
    model.handle(context, event);
  } catch (...) {
    throw_model_error(context.place());
  }
}

/// Calls init() of a process, after Context::begin(). Throws as call_handler().
template <Model M>
void call_init(const M& model, Context<M>& context) {
  try {
    model.init(context);
  } catch (...) {
    throw_model_error(context.place());
  }
}

/// Calls commit(). All engines call it through this function, as handlers. Throws as call_handler().
template <ModelThatCommits M>
[[gnu::noinline]] void call_commit(const M& model, const Committed<M>& lp, const typename M::Event& event) {
  try {
    model.commit(lp, event);
  } catch (...) {
    throw_model_error(lp.place());
  }
}

/// Calls at_gvt(). Throws as call_handler().
template <ModelThatListensToGvt M>
void call_at_gvt(const M& model, const GvtReached<M>& here) {
  try {
    model.at_gvt(here);
  } catch (...) {
    throw_model_error("at_gvt() of worker " + std::to_string(here.worker) + " at time " + std::to_string(here.gvt));
  }
}

/// Calls finish() for every process, if the model has it. Throws as call_handler().
template <Model M>
void call_finish(const M& model, const std::vector<typename M::State>& states) {
  if constexpr (ModelThatFinishes<M>) {
    for (LpId lp = 0; lp < states.size(); ++lp) {
      try {
        model.finish(lp, states[lp]);
      } catch (...) {
        throw_model_error("finish() of logical process " + std::to_string(lp));
      }
    }
  }
}

}  // namespace laxity::timewarp
