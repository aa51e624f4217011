// The values of counters in one observation, and the key of a link: plain values, copied between processes bytewise.
//
// Elsewhere: the counters themselves (counters.hpp), the metrics of two observations (quality_of_service.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "laxity/metrics/counters.hpp"

namespace laxity {

/// The distance between the two ends of a link.
enum class NeighborKind : std::uint32_t { same_thread, thread, process, host };

[[nodiscard]] std::string_view name_of(NeighborKind kind) noexcept;

/// Names one row of the link counters: the traffic of a layer from one worker to another. Channels that are packed
/// together share a row (any agreed `channel`, usually 0); channels with a ring of their own have one each.
struct LinkKey {
  std::uint32_t layer = 0;
  std::uint32_t from_worker = 0;
  std::uint32_t to_worker = 0;
  std::uint32_t channel = 0;
  friend auto operator<=>(const LinkKey&, const LinkKey&) = default;
};

struct WorkerObservation {
  std::int64_t time_ns = 0;   ///< SteadyClock
  std::uint64_t updates = 0;  ///< done so far
};

struct InletObservation {
  std::uint64_t attempted = 0, refused = 0, superseded = 0, unchanged = 0;
};

struct OutletObservation {
  std::uint64_t pulls = 0, laden = 0, received = 0, superseded = 0, touches = 0, timed = 0, one_way_ns = 0;
};

[[nodiscard]] inline InletObservation observe(const InletCounters& counters) noexcept {
  return {counters.attempted.read(), counters.refused.read(), counters.superseded.read(), counters.unchanged.read()};
}

/// Reads each counter once, so that the values are consistent while their writer runs: never more laden pulls than
/// pulls or messages.
[[nodiscard]] inline OutletObservation observe(const OutletCounters& counters) noexcept {
  const std::uint64_t laden = counters.laden.read();
  return {counters.empty.read() + laden,
          laden,
          laden + counters.passed_over.read(),
          counters.superseded.read(),
          counters.touches.read(),
          counters.timed.read(),
          counters.one_way_ns.read()};
}

}  // namespace laxity
