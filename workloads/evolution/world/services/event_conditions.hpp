// Which events happen to a cardinal: conditions on its state and its neighbor's.
#pragma once

#include <array>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

using Events = std::array<bool, event_count>;  ///< by number of the event

/// Requires facts that are up to date.
[[nodiscard]] Events events_of(const CardinalState& own, const CardinalState& neighbor,
                               const Parameters& parameters) noexcept;

}  // namespace laxity::evolution
