#include "laxity/collective/benchmark/call_times.hpp"

#include <algorithm>

#include "laxity/error.hpp"

namespace laxity::collective {

CallTimes call_times(std::span<const std::int64_t> arrivals_ns, std::span<const std::int64_t> exits_ns) {
  if (arrivals_ns.empty() || arrivals_ns.size() != exits_ns.size()) {
    throw UsageError("call_times: expected one arrival and one exit for each process, and at least one process");
  }
  const auto [first, last] = std::minmax_element(arrivals_ns.begin(), arrivals_ns.end());
  return {.first_arrival_ns = *first,
          .last_arrival_ns = *last,
          .last_exit_ns = *std::max_element(exits_ns.begin(), exits_ns.end())};
}

}  // namespace laxity::collective
