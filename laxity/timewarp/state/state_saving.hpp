// State saving: how the state of a logical process is restored when its events are rolled back. The model chooses:
//
//   static constexpr StateSaving state_saving = StateSaving::periodic;
//
//  - copy, the default: the history keeps a copy of the state before every event. For states of up to some hundred
//    bytes.
//  - periodic: the history keeps a copy before every n-th event of a process; for the events between, the engine coasts
//    forward: it handles the events since the copy again without sending. For large states. The engine adapts n to the
//    rate of rollbacks and to the size of the state.
//  - reverse: the model has reverse(Context&, const Event&) const, which reverses the effect of handle() on the state.
//    The engine restores the random numbers and the number of sends, and calls reverse() for the newest event first. A
//    handler that throws has changed only part of the state, which cannot be reversed, so it ends the run even if its
//    event would have been rolled back.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985); the interval: Rönngren and Ayani, Adaptive checkpointing in
// Time Warp (PADS 1994); reverse computation: Carothers, Perumalla and Fujimoto, ACM TOMACS 9 (1999).
// Threads: one saver per worker. Elsewhere: rollback (rollback.hpp).
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

/// Saves and restores the states before events, in the `Saved` member of their history entries.
///  - save(saved, older, state): call before the handler; `older` is the Saved of the event before in the history,
///    nullptr if there is none, and then the state can be restored on its own;
///  - can_restore(saved): whether restore() alone restores the state; if not, coast forward from an older event;
///  - restore(event, saved, state): restores the state before the event; reverse does so from the state after it;
///  - discard(saved): the event leaves the history; rolled_back(): a rollback of a process has ended;
///  - bytes(): of saved states in use outside of the history entries.
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
  [[nodiscard]] static std::size_t bytes() noexcept { return 0; }
};

template <Model M>
class StateSaver<M, StateSaving::reverse> {
 public:
  static_assert(
      requires(const M& model, Context<M>& context, const typename M::Event& event) { model.reverse(context, event); },
      "a model with StateSaving::reverse has reverse(Context&, const Event&) const");

  struct Saved {
    RandomsOf<M> random{};
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
  [[nodiscard]] static std::size_t bytes() noexcept { return 0; }

 private:
  const M& model_;
  Context<M>& context_;
};

template <Model M>
class StateSaver<M, StateSaving::periodic> {
 public:
  struct Saved {
    std::uint32_t checkpoint;  // none: coast forward from an older event
    std::uint32_t age;         // number of events since the last checkpoint
  };

  StateSaver(const M&, Context<M>&) noexcept {}

  void save(Saved& saved, const Saved* older, const LpState<M>& state) {
    ++events_;
    if (older != nullptr && older->age + 1 < interval_) {
      saved = {none, older->age + 1};
      return;
    }
    saved = {static_cast<std::uint32_t>(checkpoints_.size()), 0};
    if (free_.empty()) {
      checkpoints_.push_back(state);
      return;
    }
    saved.checkpoint = free_.back();
    free_.pop_back();
    checkpoints_[saved.checkpoint] = state;
  }
  [[nodiscard]] static bool can_restore(const Saved& saved) noexcept { return saved.checkpoint != none; }
  void restore(const EventView<M>&, const Saved& saved, LpState<M>& state) noexcept {
    if (can_restore(saved)) state = checkpoints_[saved.checkpoint];
  }
  void discard(const Saved& saved) {
    if (can_restore(saved)) free_.push_back(saved.checkpoint);
  }

  void rolled_back() noexcept {
    ++rollbacks_;
    if (events_ >= events_per_adaptation) adapt();
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return (checkpoints_.size() - free_.size()) * sizeof(LpState<M>); }

 private:
  // With interval n, an event costs copy / n and a rollback costs (n - 1) / 2 events; the sum is minimal at this n.
  void adapt() noexcept {
    constexpr double bytes_per_event = 2048;  // copied in about the time of a fine-grained event
    const double copy = static_cast<double>(sizeof(LpState<M>)) / bytes_per_event;
    const double best = std::sqrt(2 * copy * static_cast<double>(events_) / static_cast<double>(rollbacks_));
    interval_ = static_cast<std::uint32_t>(std::clamp(best, 1.0, 64.0));
    events_ = rollbacks_ = 0;
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t events_per_adaptation = 4096;

  std::vector<LpState<M>> checkpoints_;
  std::vector<std::uint32_t> free_;
  std::uint32_t interval_ = 8;
  std::uint64_t events_ = 0;
  std::uint64_t rollbacks_ = 0;
};

}  // namespace laxity::timewarp
