#include "laxity/metrics/team_tables.hpp"

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

void add_row(QosTable& table, std::int64_t run, const LinkSnapshot& snapshot) {
  with_qos_row(run, snapshot, [&](const auto&... cells) { table.add(cells...); });
}

}  // namespace laxity
