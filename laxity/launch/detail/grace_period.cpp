#include "laxity/launch/detail/grace_period.hpp"

#include <algorithm>
#include <utility>

namespace laxity::detail {
namespace {

constexpr std::chrono::milliseconds longest_step{
    500};  // more between two calls means that this process was not running

}  // namespace

bool GracePeriod::is_over(const TeamMemory& memory) noexcept {
  const SteadyClock::time_point now = SteadyClock::now();
  const SteadyClock::duration passed = now - std::exchange(last_call_, now);
  const std::uint32_t ends = memory.ends();
  const bool one_has_ended = std::exchange(ends_, ends) != ends;
  const bool waits = memory.stop_flag().load(std::memory_order_relaxed) && !one_has_ended;
  waited_ = waits ? waited_ + std::min<SteadyClock::duration>(passed, longest_step) : SteadyClock::duration{};
  return waited_ >= limit_;
}

std::string GracePeriod::complaint() const {
  std::string seconds = std::to_string(static_cast<double>(limit_.count()) * 1e-3);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.') seconds.pop_back();
  return "it did not end within " + seconds + " s of the request to stop";
}

}  // namespace laxity::detail
