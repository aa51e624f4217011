// Between which lines the offset of another clock must run, and the line in the middle of them.
//
// Every exchange of messages bounds the offset twice (offset_envelope.hpp): once when the question was sent, once when the
// answer came. Clocks that drift evenly differ by a line; it lies below all upper bounds and above all lower ones, whatever
// held up messages in between. The lines that do are a convex polygon in the plane of offset and slope; its center of
// gravity, the mean of all lines that can be true, is the answer. A fit by least squares has to guess which measurements
// were disturbed; here those do not count by themselves, because others are tighter. Nor is there a slope to be tested for
// significance: noise moves it within the bounds only, and a small drift that is taken for noise is an error as well.
//
// Source: Duda, Harrus, Haddad and Bernard, Estimating global time in distributed systems (ICDCS 1987), for the bounds and
// their convex hulls. Invariants: only points of the two hulls are kept, so memory stays small however many exchanges.
// Threads: one. Elsewhere: who exchanges with whom (mpi_sync.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/clock/clock_model.hpp"

namespace laxity {

/// A line between bounds, and how much room they leave.
struct BoundedModel {
  ClockModel model;     ///< its origin is the last exchange
  double width_ns = 0;  ///< of the offsets that are possible at the last exchange
};

class OffsetBounds {
 public:
  /// Takes an exchange in; readings in ns, sent_ns <= received_ns by the asker's clock. In the order of time.
  void add(std::int64_t sent_ns, std::int64_t answer_ns, std::int64_t received_ns);

  /// The middle of all lines between the bounds; without slope if the exchanges span too short a time to say more of it
  /// than that it is that of a computer's clock. Where no line fits, because a clock was set or did not drift evenly, the
  /// bounds are widened until one does. Throws UsageError before the first exchange.
  [[nodiscard]] BoundedModel middle() const;

 private:
  struct Bound {
    double time_s, offset_ns;  // since the first exchange; beyond the offset then
  };
  using Hull = std::vector<Bound>;
  static void extend(Hull& hull, Bound bound, double side);

  bool empty_ = true;
  std::int64_t origin_ns_ = 0, offset_ns_ = 0, last_ns_ = 0;
  Hull lower_, upper_;
};

}  // namespace laxity
