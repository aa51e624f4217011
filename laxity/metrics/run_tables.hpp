// The tables of a run directory: their columns, and what is written into them.
//
// Invariants: the row in runs.csv is written last, when all else about the run is on disk; a run without it never
// happened. Threads: one. Elsewhere: what the columns mean (docs/run_format.md, catalog.hpp), the files
// (csv_table.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/observer.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity {

/// runs.csv, workers.csv, qos.csv, picture.csv and messages.csv of a study of kind "coloring".
[[nodiscard]] const std::vector<TableFormat>& table_formats();

/// One run: a treatment, a replicate, and what came out.
struct RunRow {
  std::int64_t run = 0;
  int mode = 0;
  std::string mode_name{};
  std::string shape{};  ///< "2t", "2p", "2p3t"
  int threads = 1;      ///< of each process
  int processes = 1;    ///< 1 for a team of threads
  int workers = 1;
  int replicate = 0;
  std::uint64_t seed = 0;
  std::uint64_t nodes_per_worker = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t updates_total = 0;
  double updates_per_second_per_worker = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t work = 0;           ///< added to each update, draws of std::mt19937
  std::string guard = "lock-free";  ///< or "mutex"
  std::string fault = "none";       ///< of one worker: "slow", "stop"
  std::string reaction = "none";    ///< to workers that cannot keep up: "cadence", "cadence+latest", "migrate"
  std::uint64_t parts_per_worker = 1;
  std::uint64_t moves = 0;  ///< of parts from one worker to another
  int hosts = 1;            ///< nodes that the workers are on
  std::string status = "done";
};

struct WorkerRow {
  std::int64_t run = 0;
  int worker = 0;
  int process = 0;
  int thread = 0;
  std::uint64_t updates = 0;
  std::int64_t elapsed_ns = 0;
  std::string status = "done";
};

/// One node of the picture before or after a run.
struct PictureRow {
  std::int64_t run = 0;
  bool after = false;
  std::uint64_t node = 0;
  std::uint64_t x = 0, y = 0;
  std::uint64_t color = 0;
};

/// One frame of a message log.
struct MessageRow {
  std::int64_t run = 0;
  LinkKey key{};
  std::uint64_t message = 0;  ///< its number on its link
  std::int64_t sent_ns = 0;
  std::int64_t seen_ns = 0;
  std::uint32_t refused_before = 0;
  std::string_view fate{};  ///< "shown", "overtaken", "unseen"
};

/// Of workers.csv and qos.csv, which other kinds of study have too.
[[nodiscard]] const TableFormat& workers_format();
[[nodiscard]] const TableFormat& qos_format();
/// Adds a row to a table of that format.
void add_row(CsvTable& workers, const WorkerRow& row);
void add_row(CsvTable& qos, std::int64_t run, const LinkSnapshot& snapshot);

class RunTables {
 public:
  /// Opens the tables of a directory to append. Throws SystemError, Error.
  explicit RunTables(const RunDirectory& directory);

  /// Kept until finish_run().
  void add(const WorkerRow& row);
  void add(const PictureRow& row);
  void add(const MessageRow& row);
  /// A snapshot of a link. For a row per link and not per channel, channels are summed first, see sum_channels().
  void add(std::int64_t run, const LinkSnapshot& snapshot);

  /// Writes all that was added and then the row of the run. Throws SystemError naming the file.
  void finish_run(const RunRow& row);

 private:
  CsvTable runs_, workers_, qos_, picture_, messages_;
};

}  // namespace laxity
