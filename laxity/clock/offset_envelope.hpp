// The envelope of the offset between two clocks: bounds from exchanges of messages, which only get narrower.
//
// Source: the offset measurement of SKaMPI (Worsch, Reussner and Augustin 2002). A request is sent at s, answered with
// the reading r of the other clock, and the answer arrives at t: the other clock showed r at some time within [s, t],
// so r - t <= offset <= r - s. The bounds of all exchanges are intersected: one fast request and one fast answer, not
// necessarily of the same exchange, make the envelope narrow, and slow ones have no effect.
// Threads: one. Elsewhere: the exchanges (mpi_sync.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace laxity {

class OffsetEnvelope {
 public:
  /// Adds an exchange; readings in ns, sent_ns <= received_ns of the client's clock. True: the envelope got narrower.
  bool add(std::int64_t sent_ns, std::int64_t answer_ns, std::int64_t received_ns) noexcept {
    const std::int64_t lower = answer_ns - received_ns;
    const std::int64_t upper = answer_ns - sent_ns;
    const bool narrower = lower > lower_ns_ || upper < upper_ns_;
    lower_ns_ = std::max(lower_ns_, lower);
    upper_ns_ = std::min(upper_ns_, upper);
    return narrower;
  }

  /// The clock of the reference minus that of the client: the middle of the envelope. After at least one exchange.
  [[nodiscard]] double offset_ns() const noexcept {
    return static_cast<double>(lower_ns_) + static_cast<double>(upper_ns_ - lower_ns_) / 2;
  }
  /// At least 1 ns, the resolution of a reading, since drift during the exchanges can make the bounds cross.
  [[nodiscard]] double width_ns() const noexcept {
    return static_cast<double>(std::max<std::int64_t>(1, upper_ns_ - lower_ns_));
  }

 private:
  std::int64_t lower_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t upper_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace laxity
