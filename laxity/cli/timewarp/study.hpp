// A study of simulations: replicates of one or several treatments, written to a run directory.
//
// The study opens the directory, repeats what an interruption has left out, shows the progress, and ends with a status and
// an exit code. What is simulated, and which rows it gives, is a SimulationRuns.
//
// Threads: the caller's. Elsewhere: a model with its quantities (model_study.hpp), PHOLD (apps/laxity/phold/run.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laxity/launch/ranks.hpp"
#include "laxity/metrics/manifest.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/timewarp/engine.hpp"

namespace laxity::cli {

struct SimulationStudy {
  std::string kind{};             ///< of study, one of tables::kinds
  std::string name{};             ///< of the run directory, before its time
  Configuration configuration{};  ///< for the manifest; without seed and replicates
  std::uint64_t seed = 1;         ///< of the first replicate; the others have the following ones
  int replicates = 1;             ///< of every treatment
  std::string output{};           ///< run directory; empty: `runs/<name>-<time>`
  bool report = false;
  bool quiet = false;
  Ranks* ranks = nullptr;  ///< over which the runs spread, as in the engine of every treatment; or null
  int argc = 0;            ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

enum class RunEnd { done, interrupted, failed };

/// "done", "interrupted", "failed".
[[nodiscard]] std::string_view name_of(RunEnd end) noexcept;

struct RunEnding {
  RunEnd end = RunEnd::done;
  std::string reason{};  ///< what failed, a line for each worker, or what interrupted the run; else empty
};

/// One run of a study.
struct RunOfStudy {
  std::int64_t number = 0;  ///< replicates are the outermost loop
  std::size_t treatment = 0;
  int replicate = 0;
};

class SimulationRuns {
 public:
  SimulationRuns() = default;
  SimulationRuns(const SimulationRuns&) = delete;
  SimulationRuns& operator=(const SimulationRuns&) = delete;
  virtual ~SimulationRuns() = default;

  [[nodiscard]] virtual std::size_t treatments() const { return 1; }
  [[nodiscard]] virtual const timewarp::Engine& engine(std::size_t treatment) const = 0;
  [[nodiscard]] virtual double end_time(std::size_t treatment) const = 0;
  /// Throws UsageError if the runs make no sense. Nothing has been written yet.
  virtual void check() const = 0;

  /// In the rank that writes: opens the tables of the directory. Throws SystemError.
  virtual void open(const RunDirectory& directory) = 0;
  /// Runs it; what fails, and an interruption, is the result. Collective over ranks. Throws what it cannot report so.
  [[nodiscard]] virtual RunEnding run(const RunOfStudy& run, const timewarp::Watch& watch) = 0;
  /// In the rank that writes: writes the rows of the last run.
  virtual void record(const RunOfStudy& run, const RunEnding& ending) = 0;

  /// In the rank that writes, unless the study is quiet: before the first run, after a run that is the only treatment, and
  /// after the last run.
  virtual void print_begin() const {}
  virtual void print_run(const RunOfStudy&) const {}
  virtual void print_end(const RunDirectory&) const {}
};

/// Makes the runs that are not complete yet. Returns the exit code. Collective over ranks; the first rank writes and prints.
/// Throws UsageError before anything is written.
int run_study(const SimulationStudy& study, SimulationRuns& runs);

}  // namespace laxity::cli
