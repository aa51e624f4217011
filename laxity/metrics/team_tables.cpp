#include "laxity/metrics/team_tables.hpp"

#include "laxity/metrics/quality_of_service.hpp"

namespace laxity {
namespace {

double per_second(std::uint64_t count, std::int64_t elapsed_ns) {
  return elapsed_ns > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(elapsed_ns) : 0.0;
}

}  // namespace

void add_row(WorkersTable& table, const WorkerRow& row) {
  table.add(column<"run">(row.run), column<"worker">(row.worker), column<"process">(row.process),
            column<"thread">(row.thread), column<"updates">(row.updates), column<"elapsed_ns">(row.elapsed_ns),
            column<"updates_per_second">(per_second(row.updates, row.elapsed_ns)), column<"status">(row.status),
            column<"clock_offset_ns">(row.clock_offset_ns), column<"clock_error_ns">(row.clock_error_ns));
}

void add_row(QosTable& table, std::int64_t run, const LinkSnapshot& s) {
  const std::uint64_t attempted = increase(s.inlet_before.attempted, s.inlet_after.attempted);
  const std::uint64_t refused = increase(s.inlet_before.refused, s.inlet_after.refused);
  const std::uint64_t superseded = increase(s.inlet_before.superseded, s.inlet_after.superseded) +
                                   increase(s.outlet_before.superseded, s.outlet_after.superseded);
  table.add(column<"run">(run), column<"snapshot">(s.snapshot), column<"layer">(s.key.layer),
            column<"from_worker">(s.key.from_worker), column<"to_worker">(s.key.to_worker),
            column<"channel">(s.key.channel), column<"neighbor_kind">(name_of(s.neighbor_kind)),
            column<"channels">(s.channels), column<"answered">(s.answered ? 1 : 0),
            column<"window_ns">(window_ns(s.receiver_before, s.receiver_after)),
            column<"updates">(increase(s.receiver_before.updates, s.receiver_after.updates)),
            column<"simstep_period_ns">(simstep_period_ns(s.receiver_before, s.receiver_after)),
            column<"simstep_latency_updates">(simstep_latency_updates(
                s.receiver_before, s.receiver_after, s.outlet_before, s.outlet_after, s.summed_channels)),
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
