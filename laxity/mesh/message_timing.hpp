// Measures how long messages travel: frames carry the time at which they were sent.
//
// A connector that wraps another one. One frame of 17 carries its time, so that the others cost no clock read; a prime
// number, so that frames of which every second or fourth is shown are timed too. The pull that shows a timed frame adds
// its age to the counters of the outlet.
// Invariants: sending and receiving behave as without it. Both ends of a link must be wrapped alike, and read the same
//   clock, or clocks that are synchronized.
// Threads: as the inner connector.
// Elsewhere: the mean of a snapshot (laxity/metrics/quality_of_service.hpp), the clock of all ranks
//   (laxity/launch/ranks.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "laxity/mesh/connector.hpp"

namespace laxity {

class TimingConnector final : public ConnectorDecorator {
 public:
  using Now = std::function<std::int64_t()>;
  static constexpr int frames_per_timed = 17;

  /// `now` returns the time in ns. `inner` must outlive the connector.
  TimingConnector(Connector& inner, Now now) : ConnectorDecorator(inner), now_(std::move(now)) {}

  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;

 private:
  Now now_;
};

}  // namespace laxity
