// How the state of a logical process is brought back when events are taken back. The model picks:
//
//   static constexpr StateSaving state_saving = StateSaving::periodic;
//
//  - copy, the default: the history keeps the state that every event found. Best for states of up to some hundred bytes.
//  - periodic: every n-th event of a process keeps it; to get between, the events since are handled again with their
//    sends dropped (coasting forward). For large states. n follows the rate of rollbacks and the size of the state.
//  - reverse: the model has reverse(Context&, const Event&) const, which undoes what handle() did to the state. The
//    random stream and the count of sends are restored by the engine. Called newest event first. A handler that throws is
//    left half-way and cannot be reversed, so it ends the run even if its event would have been taken back.
//
// Source: Jefferson (1985); the interval: Rönngren and Ayani, Adaptive checkpointing in Time Warp (PADS 1994); reverse
// computation: Carothers, Perumalla and Fujimoto, ACM TOMACS 9 (1999). Threads: one saver per worker.
// Elsewhere: taking back (optimistic_worker.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/model.hpp"

namespace laxity::timewarp {

enum class StateSaving { copy, periodic, reverse };

template <class M>
[[nodiscard]] consteval StateSaving state_saving_of() {
  if constexpr (requires { M::state_saving; }) {
    return M::state_saving;
  } else {
    return StateSaving::copy;
  }
}

/// A saver makes what an entry of a history needs to bring back the state before its event.
///  - save(saved, older, state): before the handler; `older` is of the event before it in the history, nullptr if there is
///    none, and then restore() must do without;
///  - can_restore(saved): whether restore() alone brings the state back; if not, coast forward from an older event;
///  - restore(event, saved, state): brings back the state before the event; for reverse, from the state after it;
///  - discard(saved): the event leaves the history; rolled_back(): a process has been taken back.
template <Model M, StateSaving saving = state_saving_of<M>()>
class StateSaver;

template <Model M>
class StateSaver<M, StateSaving::copy> {
 public:
  using Saved = LpState<M>;

  StateSaver(const M&, Context<M>&) noexcept {}

  void save(Saved& saved, const Saved*, const LpState<M>& state) noexcept { saved = state; }
  [[nodiscard]] static bool can_restore(const Saved&) noexcept { return true; }
  void restore(const EventView<M>&, const Saved& saved, LpState<M>& state) noexcept { state = saved; }
  void discard(const Saved&) noexcept {}
  void rolled_back() noexcept {}
};

template <Model M>
class StateSaver<M, StateSaving::reverse> {
 public:
  static_assert(
      requires(const M& model, Context<M>& context, const typename M::Event& event) { model.reverse(context, event); },
      "a model with StateSaving::reverse has reverse(Context&, const Event&) const");

  struct Saved {
    SeededRandom random{0};
    std::uint64_t sent = 0;
  };

  StateSaver(const M& model, Context<M>& context) noexcept : model_(model), context_(context) {}

  void save(Saved& saved, const Saved*, const LpState<M>& state) noexcept { saved = {state.random, state.sent}; }
  [[nodiscard]] static bool can_restore(const Saved&) noexcept { return true; }
  void restore(const EventView<M>& event, const Saved& saved, LpState<M>& state) {
    context_.begin(event.receiver, event.key, state);
    model_.reverse(context_, event.payload);
    state.random = saved.random;
    state.sent = saved.sent;
  }
  void discard(const Saved&) noexcept {}
  void rolled_back() noexcept {}

 private:
  const M& model_;
  Context<M>& context_;
};

template <Model M>
class StateSaver<M, StateSaving::periodic> {
 public:
  struct Saved {
    std::uint32_t snapshot;  // none: coast forward from an older event
    std::uint32_t age;       // events since the last one with a snapshot
  };

  StateSaver(const M&, Context<M>&) noexcept {}

  void save(Saved& saved, const Saved* older, const LpState<M>& state) {
    ++events_;
    if (older != nullptr && older->age + 1 < interval_) {
      saved = {none, older->age + 1};
      return;
    }
    saved = {static_cast<std::uint32_t>(snapshots_.size()), 0};
    if (free_.empty()) {
      snapshots_.push_back(state);
      return;
    }
    saved.snapshot = free_.back();
    free_.pop_back();
    snapshots_[saved.snapshot] = state;
  }
  [[nodiscard]] static bool can_restore(const Saved& saved) noexcept { return saved.snapshot != none; }
  void restore(const EventView<M>&, const Saved& saved, LpState<M>& state) noexcept {
    if (can_restore(saved)) state = snapshots_[saved.snapshot];
  }
  void discard(const Saved& saved) {
    if (can_restore(saved)) free_.push_back(saved.snapshot);
  }

  void rolled_back() noexcept {
    ++rollbacks_;
    if (events_ >= judged_after) adapt();
  }

 private:
  // With interval n, an event costs copy / n and a rollback (n - 1) / 2 events: the sum is least at this n.
  void adapt() noexcept {
    constexpr double bytes_per_event = 2048;  // copied in about the time that a fine-grained event takes
    const double copy = static_cast<double>(sizeof(LpState<M>)) / bytes_per_event;
    const double best = std::sqrt(2 * copy * static_cast<double>(events_) / static_cast<double>(rollbacks_));
    interval_ = static_cast<std::uint32_t>(std::clamp(best, 1.0, 64.0));
    events_ = rollbacks_ = 0;
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t judged_after = 4096;  // events

  std::vector<LpState<M>> snapshots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t interval_ = 8;
  std::uint64_t events_ = 0;
  std::uint64_t rollbacks_ = 0;
};

}  // namespace laxity::timewarp
