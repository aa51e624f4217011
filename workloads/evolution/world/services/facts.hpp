// What a cell shows of itself: the facts and ids of its cardinals' states.
#pragma once

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

/// Brings the facts and ids of all cardinals up to date, but for what other services set.
void refresh_facts(Cell& cell, const NeighborStates& neighbors, const ServiceContext& context) noexcept;

}  // namespace laxity::evolution
