// The directory of one study: manifest.json and the tables. Files are the interface between C++ and Python.
//
// Invariants: a study that was interrupted goes on where it stopped: opening the directory again with the same
// configuration keeps the runs whose row in runs.csv is whole and says "done", and removes every row of any other run
// from all tables. Threads: one. Two programs must not write one directory at a time; the second is refused. Elsewhere:
// the tables (run_tables.hpp), their format (docs/run_format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/manifest.hpp"

namespace laxity {

class RunDirectory {
 public:
  /// Creates the directory with its manifest, or opens it to go on. `tables` are those of the study's kind, runs.csv
  /// among them, each with a column `run`. Throws UsageError if there is a study of another configuration or something
  /// else than a run directory in it, or if another process writes it; SystemError, naming the path, if it cannot be
  /// written.
  RunDirectory(std::filesystem::path path, Manifest manifest, const std::vector<TableFormat>& tables);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }

  /// Runs that are done and need not be repeated; fixed at opening.
  [[nodiscard]] const std::set<std::int64_t>& runs_done() const noexcept { return runs_done_; }

  /// Adds a line about a placement to the manifest, once each.
  void note_placement(std::string_view line);
  /// Records how the study ended: "done", "interrupted" or "failed", and when. Throws SystemError.
  void finish(std::string_view status);

 private:
  void lock();
  void resume(const std::vector<TableFormat>& tables);
  void write_manifest() const;

  std::filesystem::path path_;
  Manifest manifest_;
  std::set<std::int64_t> runs_done_;
  int lock_ = -1;
};

}  // namespace laxity
