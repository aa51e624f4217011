// The runs of a study whose runs are teams, one after the other: those that are done are not repeated, the others are made,
// written and reported, and the run directory records how the study ended.
//
// Threads: one of each rank; the rank that writes has the directory.
// Elsewhere: what a run is and which tables it fills (color/run.cpp, evolve/world_study.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/cli/progress_line.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity::cli {

/// The run directory of a study with its tables.
template <class Tables>
struct StudyRecord {
  StudyRecord(const std::filesystem::path& output, Manifest manifest)
      : directory(output, std::move(manifest)), tables(output) {}

  RunDirectory directory;
  Tables tables;
};

/// A manifest of this machine, with the hosts and the MPI library of the ranks if there are any.
[[nodiscard]] Manifest manifest_of_team_study(const char* kind, const std::filesystem::path& output, const Ranks* ranks,
                                              int argc, const char* const* argv);

struct TeamStudyOptions {
  Ranks* ranks = nullptr;
  bool defers_signals = true;  ///< a signal between two runs ends the next one; false: it ends the program
  bool report = false;
  bool quiet = false;
};

class TeamStudy {
 public:
  /// `directory` is nullptr but in the rank that writes.
  TeamStudy(const TeamStudyOptions& options, RunDirectory* directory);

  struct Run {
    std::int64_t number = 0;
    std::string team;  ///< "2p2t"
    std::string title;
  };
  /// Makes the run at an index, tells its progress in [0, 1], and returns what record() does.
  using Make = std::function<bool(std::size_t, const std::function<void(double)>&)>;

  /// Makes all runs that are not done, in their order, and concludes the study; `print` prints what was found, in the rank
  /// that writes. Returns the exit code. Collective over ranks.
  int run(const std::vector<Run>& runs, const Make& make, const std::function<void()>& print);

  /// Called by `make` when its run has ended: reports lost workers, and has the rows of a run that was not interrupted
  /// written by the rank that writes. Returns whether the study goes on. Collective over ranks.
  [[nodiscard]] bool record(const Run& run, const TeamReport& team, const std::string& placement,
                            const std::function<void()>& add_rows);

  /// Prints a line on stderr, in the rank that writes.
  void warn(const std::string& line);

 private:
  [[nodiscard]] bool make_all(const std::vector<Run>& runs, const Make& make);
  [[nodiscard]] int conclude(bool whole, const std::function<void()>& print);
  [[nodiscard]] bool is_done(std::int64_t number) const;
  [[nodiscard]] bool lost_a_rank() const;

  TeamStudyOptions options_;
  RunDirectory* directory_;
  ProgressLine progress_;
  bool lost_workers_ = false;
  std::string interrupted_by_;  // as TeamReport::interruption()
};

}  // namespace laxity::cli
