#include "laxity/collective/rules/detail/by_communicator.hpp"

#include <algorithm>
#include <string>

#include "laxity/error.hpp"

namespace laxity::collective::detail {

ByCommunicator by_communicator(const std::vector<Selection>& selections, ChoiceKind kind) {
  if (kind != ChoiceKind::robust && !has_choice(selections, kind)) {
    throw UsageError("no size was measured often enough " +
                     std::string(kind == ChoiceKind::no_delay ? "without delay" : "under the traced pattern"));
  }
  ByCommunicator sorted;
  for (const Selection& selection : selections) {
    sorted[selection.collective][selection.processes].push_back(&selection);
  }
  for (auto& [collective, by_processes] : sorted) {
    for (auto& [processes, sizes] : by_processes) {
      std::sort(sizes.begin(), sizes.end(), [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
    }
  }
  return sorted;
}

}  // namespace laxity::collective::detail
