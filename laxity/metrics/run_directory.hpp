// The directory of one study: manifest.json and the tables. Files are the interface between C++ and Python.
//
// Invariants: an interrupted study resumes where it stopped: opening the directory again with the same configuration
// keeps the runs with a complete row in runs.csv whose status is "done", and removes every row of any other run from
// all tables.
// Threads: one. Two programs must not write one directory at a time; the second is refused.
// Elsewhere: the tables (tables.json, table_writer.hpp), their format (docs/run_format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>

#include "laxity/metrics/manifest.hpp"
#include "laxity/metrics/table_description.hpp"

namespace laxity {

class RunDirectory {
 public:
  /// Creates the directory with its manifest, or opens it to resume its study. The kind in the manifest is one of
  /// tables::kinds. Throws UsageError if the directory holds a study of another configuration or no study at all, or if
  /// another process writes it; SystemError, naming the path, if it cannot be written.
  RunDirectory(std::filesystem::path path, Manifest manifest);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }

  /// Runs that were done when the directory was opened; they need not be repeated.
  [[nodiscard]] const std::set<std::int64_t>& runs_done() const noexcept { return runs_done_; }

  /// Adds a line about the placement of workers to the manifest, unless it is there already.
  void note_placement(std::string_view line);
  /// Records how the study ended: "done", "interrupted" or "failed", when, and why it did not go on. Throws
  /// SystemError.
  void finish(std::string_view status, std::string_view reason = {});

 private:
  void lock();
  void resume();
  void write_manifest() const;

  std::filesystem::path path_;
  Manifest manifest_;
  std::span<const TableDescription* const> tables_;  // of the kind of study
  std::set<std::int64_t> runs_done_;
  int lock_ = -1;
};

/// True if a study in this directory has ended as it should: its manifest says "done". False if there is none.
[[nodiscard]] bool is_done_study(const std::filesystem::path& directory);

}  // namespace laxity
