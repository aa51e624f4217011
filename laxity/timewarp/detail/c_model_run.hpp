// Runs of C models whose events and states have at most a given size.
//
// The engines are templates of events and states of a fixed size, so a model of C runs in the smallest class that holds
// its own. GCC takes about ten seconds for the engines of a class, so each has a source of its own. Only the largest
// class has engines for models with a reverse function, since smaller states are copied in less time than a call takes.
//
// Threads: as run(). Elsewhere: the interface (c_model.h), the choice of the class (c_model.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

#include "laxity/random_stream.hpp"
#include "laxity/timewarp/c_model.h"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/run_on.hpp"

struct laxity_context {
  void* lp;
  int (*send)(laxity_context* context, std::uint32_t to, double delay, const void* event);
  laxity::RandomStream* random;
  std::uint32_t self;
  std::uint32_t logical_processes;
  double now;
  std::size_t event_bytes;
  std::exception_ptr failure;  // what send() has thrown, which must not pass through the model's function
};

namespace laxity::timewarp::detail {

/// Runs a model of this class or a smaller one; throws what run() and run_sequential() throw.
template <std::size_t event_bytes, std::size_t state_bytes, StateSaving saving = StateSaving::copy>
void run_c_model(const laxity_model& model, const laxity_run& run, void* states, laxity_result& result);

extern template void run_c_model<40, 32>(const laxity_model&, const laxity_run&, void*, laxity_result&);
extern template void run_c_model<256, 512>(const laxity_model&, const laxity_run&, void*, laxity_result&);
extern template void run_c_model<1024, 4096>(const laxity_model&, const laxity_run&, void*, laxity_result&);
extern template void run_c_model<1024, 4096, StateSaving::reverse>(const laxity_model&, const laxity_run&, void*,
                                                                   laxity_result&);

/// Rolls every event back, by the model's reverse function if it has one; throws ModelError for the first that differs.
void check_c_model(const laxity_model& model, const laxity_run& run);

template <std::size_t max_event_bytes, std::size_t max_state_bytes, StateSaving saving>
class CModel {
 public:
  static constexpr StateSaving state_saving = saving;
  using Time = double;
  struct Event {
    alignas(8) std::byte bytes[max_event_bytes];
  };
  struct State {
    alignas(8) std::byte bytes[max_state_bytes];
  };
  using Lp = Context<CModel>;

  explicit CModel(const laxity_model& model) : model_(model) {}

  void init(Lp& lp) const {
    laxity_context context = context_of(lp);
    model_.init(&context, lp.state().bytes, model_.parameters);
    rethrow(context);
  }

  void handle(Lp& lp, const Event& event) const {
    laxity_context context = context_of(lp);
    model_.handle(&context, lp.state().bytes, event.bytes, model_.parameters);
    rethrow(context);
  }

  void reverse(Lp& lp, const Event& event) const
    requires(saving == StateSaving::reverse)
  {
    laxity_context context = context_of(lp);
    model_.reverse(&context, lp.state().bytes, event.bytes, model_.parameters);
    rethrow(context);
  }

  void commit(const Committed<CModel>& lp, const Event& event) const {
    if (model_.commit != nullptr) model_.commit(lp.self(), lp.now(), event.bytes, model_.parameters);
  }

  [[nodiscard]] double lookahead() const { return model_.lookahead; }
  [[nodiscard]] std::uint64_t digest(const Event& event) const { return hash(event.bytes, model_.event_bytes); }
  [[nodiscard]] std::uint64_t digest(const State& state) const { return hash(state.bytes, model_.state_bytes); }

 private:
  [[nodiscard]] laxity_context context_of(Lp& lp) const {
    return {&lp, send, &lp.random(), lp.self(), lp.logical_processes(), lp.now(), model_.event_bytes, nullptr};
  }

  static void rethrow(const laxity_context& context) {
    if (context.failure != nullptr) [[unlikely]]
      std::rethrow_exception(context.failure);
  }

  static int send(laxity_context* context, std::uint32_t to, double delay, const void* event) {
    try {
      Event copy;
      std::memcpy(copy.bytes, event, context->event_bytes);
      static_cast<Lp*>(context->lp)->send(to, delay, copy);
      return 0;
    } catch (...) {
      if (context->failure == nullptr) context->failure = std::current_exception();
      return -1;
    }
  }

  [[nodiscard]] static std::uint64_t hash(const std::byte* bytes, std::size_t size) {
    std::uint64_t hash = size;
    for (; size != 0;) {
      std::uint64_t word = 0;
      const std::size_t part = size < sizeof word ? size : sizeof word;
      std::memcpy(&word, bytes, part);
      hash = mixed(hash, word);
      bytes += part;
      size -= part;
    }
    return hash;
  }

  laxity_model model_;
};

template <class Model>
Simulation<Model> simulation_of(const laxity_model& model, const laxity_run& run) {
  return {Model(model), {run.logical_processes, run.end_time}, run.seed};
}

template <std::size_t event_bytes, std::size_t state_bytes, StateSaving saving>
void run_c_model(const laxity_model& model, const laxity_run& run, void* states, laxity_result& result) {
  using Model = CModel<event_bytes, state_bytes, saving>;
  const auto simulation = simulation_of<Model>(model, run);
  const bool digest = run.digest != 0;
  const Result<Model> done =
      run.threads == 0 && run.processes == 0
          ? run_sequential({.options = {.worker = {.digest = digest}}}, simulation, Watch(), BucketQueue())
          : timewarp::run(simulation, {.threads = run.threads == 0 ? 1 : run.threads,
                                       .processes = run.processes,
                                       .worker = {.digest = digest}});
  const Statistics total = done.total();
  result = {.committed = total.committed,
            .processed = total.processed,
            .rolled_back = total.rolled_back,
            .rollbacks = total.primary_rollbacks + total.secondary_rollbacks,
            .gvt_rounds = total.gvt_rounds,
            .digest = done.digest,
            .seconds = done.seconds};
  if (states == nullptr) return;
  auto* to = static_cast<std::byte*>(states);
  for (const auto& state : done.states) {
    std::memcpy(to, state.bytes, model.state_bytes);
    to += model.state_bytes;
  }
}

}  // namespace laxity::timewarp::detail
