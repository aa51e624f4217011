// Bounds of the offset of another clock as a function of time, and the line in the middle of all that satisfy them.
//
// Every exchange of messages gives two bounds of the offset (offset_envelope.hpp): an upper one at the time at which
// the request was sent, a lower one at the time at which the answer was received. The offset of clocks with constant
// drift is a line; it lies below all upper and above all lower bounds, however long messages were delayed. All such
// lines form a convex polygon in the plane of offset and slope; the result is its center of gravity, the mean of all
// possible lines. A fit by least squares has to detect disturbed measurements; here they have no effect, because other
// bounds are tighter.
// The slope needs no test of significance either: noise changes it within the bounds only, and dropping a small drift
// as noise would be an error too.
//
// Source: Duda, Harrus, Haddad and Bernard, Estimating global time in distributed systems (ICDCS 1987), for the bounds
// and their convex hulls.
// Invariants: only points of the two hulls are kept, so memory stays small for any number of exchanges.
// Threads: one. Elsewhere: the exchanges (mpi_sync.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/clock/clock_model.hpp"

namespace laxity {

/// The line in the middle of the bounds, and the width of the range that they leave.
struct BoundedModel {
  ClockModel model;     ///< its origin is the last exchange
  double width_ns = 0;  ///< of the range of possible offsets at the last exchange
};

class OffsetBounds {
 public:
  /// Adds an exchange; readings in ns, sent_ns <= received_ns of the client's clock. In the order of time.
  void add(std::int64_t sent_ns, std::int64_t answer_ns, std::int64_t received_ns);

  /// The mean of all lines between the bounds; with slope 0 if the exchanges span too short a time to determine the
  /// slope within the usual drift of clocks. If no line satisfies the bounds, because a clock was set or its drift
  /// changed, the bounds are widened until one does. Throws UsageError before the first exchange.
  [[nodiscard]] BoundedModel middle() const;

 private:
  struct Bound {
    double time_s, offset_ns;  // relative to time and offset of the first exchange
  };
  using Hull = std::vector<Bound>;
  static void extend(Hull& hull, Bound bound, double side);

  bool empty_ = true;
  std::int64_t origin_ns_ = 0, offset_ns_ = 0, last_ns_ = 0;
  Hull lower_, upper_;
};

}  // namespace laxity
