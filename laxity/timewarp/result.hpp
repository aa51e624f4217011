// The input and the result of a run, the same for every engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/statistics.hpp"

namespace laxity::timewarp {

/// A signal or the caller has ended the run before its end time.
class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& by = "the caller") : Error("interrupted by " + by), by_(by) {}
  /// As TeamReport::interruption().
  [[nodiscard]] const std::string& by() const noexcept { return by_; }

 private:
  std::string by_;
};

/// A model with its bounds and its seed. Every engine commits the same events of the same Simulation.
template <Model M>
struct Simulation {
  M model;
  Bounds<M> bounds;
  std::uint64_t seed = 1;
};

template <Model M>
struct Result {
  std::vector<typename M::State> states;       ///< at the end of the run, by logical process
  std::vector<Statistics> workers;             ///< by worker; one for a sequential run
  std::uint64_t digest = 0;                    ///< of all committed events (digest.hpp); 0 if the options ask for none
  std::optional<typename M::Time> ended_at{};  ///< time at which the model ended the run, if it did
  double seconds = 0;                          ///< from the first event to the last, without set-up
  [[no_unique_address]] CollectorsOf<M> collectors{};  ///< of all workers

  [[nodiscard]] Statistics total() const noexcept { return total_of(workers); }
};

}  // namespace laxity::timewarp
