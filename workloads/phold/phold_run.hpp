// One run of PHOLD with everything chosen at run time, the shape among it.
//
// Threads: as Team::run, one run at a time. Elsewhere: the model (phold.hpp), the engines (laxity/timewarp/engine.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "workloads/phold/phold.hpp"

namespace laxity::phold {

struct Run {
  Shape shape = Shape::continuous;
  Options model;
  double end_time = 500;  ///< events at or past it are dropped
  std::uint64_t seed = 1;
  timewarp::Engine engine;
  timewarp::StateSaving state_saving = timewarp::StateSaving::copy;  ///< others only with the bucket queue
};

enum class End { done, interrupted, failed };

struct Outcome {
  End end = End::done;
  std::string failure{};  ///< what failed, a line for each worker, or what interrupted it; else empty
  std::vector<timewarp::Statistics> workers{};  ///< of a run that did not end: as last seen
  std::uint64_t digest = 0;                     ///< 0 unless asked for
  double seconds = 0;                           ///< of a run that did not end: since it was started
  std::uint64_t handled = 0;                    ///< by the states of all processes; equals the committed events
  std::uint64_t sum = 0;                        ///< of all states, see State::sum
  std::optional<double> ended_at{};             ///< when Options::until_handled ended it, if it did

  [[nodiscard]] timewarp::Statistics total() const noexcept;
  [[nodiscard]] double committed_per_second() const noexcept;
};

/// Throws UsageError, naming the option of `laxity phold`, if the run makes no sense.
void check(const Run& run);

/// Runs it and calls watch(progress by worker) in this thread about every 20 ms. What fails in the run, and Ctrl-C, is
/// in the outcome. Throws UsageError as check(), SystemError.
[[nodiscard]] Outcome run_phold(const Run& run, const timewarp::Watch& watch = {});

/// Handles the events of the run sequentially, each of them again after it was put back (laxity/timewarp/model_check.hpp),
/// and returns how many. Throws UsageError as check(), timewarp::ModelError at the first that cannot be rolled back.
std::uint64_t check_handlers(const Run& run, timewarp::Check how);

}  // namespace laxity::phold
