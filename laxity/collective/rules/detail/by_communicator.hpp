// The order in which all writers of rules go through the choices.
//
// Threads: pure functions.
#pragma once

#include <map>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective::detail {

/// The selections of each collective and number of processes, in ascending order of sizes.
using ByCommunicator = std::map<Collective, std::map<int, std::vector<const Selection*>>>;

/// Throws UsageError if the criterion of this kind was not measured.
[[nodiscard]] ByCommunicator by_communicator(const std::vector<Selection>& selections, ChoiceKind kind);

}  // namespace laxity::collective::detail
