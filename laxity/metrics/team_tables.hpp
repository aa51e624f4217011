// workers.csv and qos.csv: the tables of every study that observes a team.
//
// Threads: one at a time.
// Elsewhere: what the columns mean (tables.json, docs/run_format.md), the snapshots (link_snapshot.hpp), the tables of
// graph coloring (apps/laxity/color/tables.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "laxity/metrics/link_snapshot.hpp"
#include "laxity/metrics/quality_of_service.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity {

using WorkersTable = TableWriter<tables::workers>;
using QosTable = TableWriter<tables::qos>;

struct WorkerRow {
  std::int64_t run = 0;
  int worker = 0;
  int process = 0;
  int thread = 0;  ///< in its process
  std::uint64_t updates = 0;
  std::int64_t elapsed_ns = 0;  ///< from the first update to the last
  std::string_view status = "done";
  std::int64_t clock_offset_ns = 0;  ///< global − own clock, by which its messages were timed
  std::int64_t clock_error_ns = 0;   ///< largest error of this offset
};

void add_row(WorkersTable& table, const WorkerRow& row);
/// A snapshot of a link, or of one channel. For one row per link, sum the channels first: sum_channels().
void add_row(QosTable& table, std::int64_t run, const LinkSnapshot& snapshot);

/// Calls visit(column<"run">(...), ...) with the cells of a row of qos.csv, which live during the call.
template <class Visit>
void with_qos_row(std::int64_t run, const LinkSnapshot& s, Visit&& visit) {
  const std::uint64_t attempted = increase(s.inlet_before.attempted, s.inlet_after.attempted);
  const std::uint64_t refused = increase(s.inlet_before.refused, s.inlet_after.refused);
  const std::uint64_t superseded = increase(s.inlet_before.superseded, s.inlet_after.superseded) +
                                   increase(s.outlet_before.superseded, s.outlet_after.superseded);
  visit(column<"run">(run), column<"snapshot">(s.snapshot), column<"layer">(s.key.layer),
        column<"from_worker">(s.key.from_worker), column<"to_worker">(s.key.to_worker),
        column<"channel">(s.key.channel), column<"neighbor_kind">(name_of(s.neighbor_kind)),
        column<"channels">(s.channels), column<"answered">(s.answered ? 1 : 0),
        column<"window_ns">(window_ns(s.receiver_before, s.receiver_after)),
        column<"updates">(increase(s.receiver_before.updates, s.receiver_after.updates)),
        column<"simstep_period_ns">(simstep_period_ns(s.receiver_before, s.receiver_after)),
        column<"simstep_latency_updates">(simstep_latency_updates(s.receiver_before, s.receiver_after, s.outlet_before,
                                                                  s.outlet_after, s.summed_channels)),
        column<"walltime_latency_ns">(walltime_latency_ns(s.receiver_before, s.receiver_after, s.outlet_before,
                                                          s.outlet_after, s.summed_channels)),
        column<"delivery_failure_rate">(delivery_failure_rate(s.inlet_before, s.inlet_after)),
        column<"delivery_clumpiness">(delivery_clumpiness(s.outlet_before, s.outlet_after)),
        column<"attempted">(attempted), column<"accepted">(increase(refused, attempted)),
        column<"superseded">(superseded), column<"pulls">(increase(s.outlet_before.pulls, s.outlet_after.pulls)),
        column<"laden">(increase(s.outlet_before.laden, s.outlet_after.laden)),
        column<"received">(increase(s.outlet_before.received, s.outlet_after.received)),
        column<"touches">(increase(s.outlet_before.touches, s.outlet_after.touches)),
        column<"sender_period_ns">(simstep_period_ns(s.sender_before, s.sender_after)),
        column<"timed">(increase(s.outlet_before.timed, s.outlet_after.timed)),
        column<"one_way_latency_ns">(one_way_latency_ns(s.outlet_before, s.outlet_after)));
}

}  // namespace laxity
