// Checks that the handlers of a model can be rolled back: runs the model sequentially, rolls every event back and
// handles it again.
//
// A handler must change only the state of its process. A handler that uses a global variable, a clock, a file or its
// own random numbers gives a different result when it is called again, and so does an incomplete reverse handler. Under
// Time Warp the results of such a model vary from run to run; this check reports the first event.
//
// Threads: the caller's. Elsewhere: state saving (state_saving.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::timewarp {

enum class Check {
  purity,    ///< handle, restore a copy of the state, handle again: same state and same events sent
  rollback,  ///< the same, with the state saving of the model (state_saving.hpp)
};

template <Model M>
class ModelCheck {
 public:
  ModelCheck(const Simulation<M>& simulation, Check check)
      : simulation_(simulation),
        check_(check),
        context_(simulation.model, simulation.bounds),
        saver_(simulation.model, context_) {}

  /// Checks at most `max_events` events of the run; returns the number of events checked. Throws ModelError at the
  /// first event that fails.
  std::uint64_t run(std::uint64_t max_events = std::numeric_limits<std::uint64_t>::max()) {
    states_.resize(simulation_.bounds.logical_processes);
    for (LpId lp = 0; lp < states_.size(); ++lp) {
      states_[lp].random = first_random<M>(simulation_.seed, lp);
      context_.begin(lp, earliest_key, states_[lp], true);
      call_init(simulation_.model, context_);
      deliver();
    }
    std::uint64_t checked = 0;
    for (const PendingEvent* next = pending_.top(); next != nullptr && checked < max_events; next = pending_.top()) {
      const PendingEvent event = *next;
      if (event.key.time > end_) break;
      pending_.pop();
      check(events_[event.event]);
      deliver();
      events_.release(event.event);
      ++checked;
    }
    return checked;
  }

 private:
  struct Outcome {
    std::uint64_t state;
    std::uint64_t sent;
    bool operator==(const Outcome&) const = default;
  };

  void check(const EventRecord<M>& event) {
    LpState<M>& state = states_[event.receiver];
    const auto before = std::make_unique<const LpState<M>>(state);  // a state may be too large for the stack
    const auto saved = std::make_unique<typename StateSaver<M>::Saved>();
    saver_.save(*saved, nullptr, state);
    const Outcome first = handle(event, state);
    if (check_ == Check::rollback) {
      saver_.restore(event.view(), *saved, state);
      if (digest(state) != digest(*before)) fail(event, "rolling the event back does not restore the state before it");
    } else {
      state = *before;
    }
    saver_.discard(*saved);
    const Outcome second = handle(event, state);
    if (first.state != second.state) fail(event, "handled twice from the same state, it leaves different states");
    if (first.sent != second.sent) fail(event, "handled twice from the same state, it sends different events");
    if constexpr (ModelThatEnds<M>) {
      if (simulation_.model.ends(event.receiver, state.model)) end_ = event.key.time;
    }
  }

  [[nodiscard]] Outcome handle(const EventRecord<M>& event, LpState<M>& state) {
    context_.begin(event.receiver, event.key, state);
    call_handler(simulation_.model, context_, event.payload);
    std::uint64_t sent = 0;
    for (const auto& message : context_.sent()) {
      sent = detail::mixed(detail::mixed(sent, message.key.time), message.key.tie);
      sent = detail::mixed_value(simulation_.model, detail::mixed(sent, message.receiver), message.event);
    }
    return {digest(state), sent};
  }

  [[nodiscard]] std::uint64_t digest(const LpState<M>& state) const noexcept {
    const std::uint64_t hash = detail::mixed_value(simulation_.model, state.sent, state.model);
    return detail::mixed_bytes(hash, state.random);
  }

  void deliver() {
    for (const auto& sent : context_.sent()) {
      const EventId id = events_.allocate();
      if (id == no_event) throw Error("more than " + std::to_string(events_.capacity()) + " events are pending");
      events_[id].key = sent.key;
      events_[id].receiver = sent.receiver;
      events_[id].payload = sent.event;
      pending_.push({sent.key, sent.receiver, id});
    }
  }

  [[noreturn]] void fail(const EventRecord<M>& event, const std::string& what) const {
    const auto now = TimeBits<typename M::Time>::time(event.key.time);
    const std::string sender = std::to_string(context_.layout().sender(event.key.tie));
    throw ModelError(place_of(event.receiver, now, "event of " + sender) + ": " + what +
                     "; a handler may use nothing but its state, its event and its context");
  }

  const Simulation<M>& simulation_;
  Check check_;
  Context<M> context_;
  StateSaver<M> saver_;
  EventPool<EventRecord<M>> events_{std::size_t{1} << 28};
  std::vector<LpState<M>> states_;
  BucketQueue pending_;
  std::uint64_t end_ = latest_key.time;  // the time (TimeBits) at which the model has ended the run, if it has
};

/// Checks that the handlers of the model can be rolled back, for at most `max_events` events; returns the number of
/// events checked.
template <Model M>
std::uint64_t check_model(const Simulation<M>& simulation, Check check,
                          std::uint64_t max_events = std::numeric_limits<std::uint64_t>::max()) {
  return ModelCheck<M>(simulation, check).run(max_events);
}

}  // namespace laxity::timewarp
