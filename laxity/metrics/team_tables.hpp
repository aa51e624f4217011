// workers.csv and qos.csv: the tables of every study that observes a team.
//
// Threads: one at a time.
// Elsewhere: what the columns mean (tables.json, docs/run_format.md), the snapshots (link_snapshot.hpp), the tables of
// graph coloring (apps/laxity/color/tables.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "laxity/metrics/link_snapshot.hpp"
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

}  // namespace laxity
