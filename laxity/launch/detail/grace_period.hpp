// How long workers may take to end after a request to stop, before the team ends without them.
//
// Time in which the supervisor itself was not running does not count, such as that of a suspended job.
// Threads: used by the thread that supervises.
#pragma once

#include <chrono>
#include <string>

#include "laxity/launch/detail/team_memory.hpp"

namespace laxity::detail {

class GracePeriod {
 public:
  explicit GracePeriod(std::chrono::milliseconds limit) : limit_(limit) {}

  /// To be called about every tick. True once a stop was requested and then, for the whole period, no worker has ended.
  [[nodiscard]] bool is_over(const TeamMemory& memory) noexcept;

  /// "it did not end within 5 s of the request to stop"
  [[nodiscard]] std::string complaint() const;

 private:
  using SteadyClock = std::chrono::steady_clock;

  std::chrono::milliseconds limit_;
  SteadyClock::time_point last_call_ = SteadyClock::now();
  SteadyClock::duration waited_{};
  std::uint32_t ends_ = 0;  // of workers, at the last call
};

}  // namespace laxity::detail
