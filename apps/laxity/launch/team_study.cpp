#include "apps/laxity/launch/team_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/laxity/launch/deferred_signals.hpp"
#include "laxity/cli/python_interpreter.hpp"

namespace laxity::cli {

Manifest manifest_of_team_study(const char* kind, const std::filesystem::path& output, const Ranks* ranks, int argc,
                                const char* const* argv) {
  Manifest manifest = manifest_of_this_machine(kind, output.filename().string(), argc, argv);
  if (ranks != nullptr) {
    manifest.versions["mpi"] = ranks->library();
    manifest.hosts = ranks->map().host_names;
  }
  return manifest;
}

TeamStudy::TeamStudy(const TeamStudyOptions& options, RunDirectory* directory)
    : options_(options), directory_(directory), progress_(options.quiet || directory == nullptr) {}

int TeamStudy::run(const std::vector<Run>& runs, const Make& make, const std::function<void()>& print) {
  bool whole = false;
  try {
    whole = make_all(runs, make);
  } catch (...) {
    if (directory_ != nullptr) directory_->finish("failed");
    throw;
  }
  int code = whole && !lost_workers_ ? 0 : 1;
  at_first_rank(options_.ranks, [&] { code = conclude(whole, print); });
  return code;
}

void TeamStudy::warn(const std::string& line) {
  if (directory_ == nullptr) return;
  progress_.clear();
  fmt::print(stderr, "laxity: {}\n", line);
}

// Returns false if interrupted.
bool TeamStudy::make_all(const std::vector<Run>& runs, const Make& make) {
  std::optional<DeferredSignals> between_runs;
  if (options_.defers_signals) between_runs.emplace();
  const auto done_before =
      static_cast<std::size_t>(std::ranges::count_if(runs, [this](const Run& run) { return is_done(run.number); }));
  const auto to_do = static_cast<double>(runs.size() - done_before);
  std::size_t done = 0;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const Run& run = runs[index];
    if (is_done(run.number)) continue;
    const std::string what = fmt::format("run {} of {}: {}", done_before + done + 1, runs.size(), run.title);
    const bool goes_on = make(index, [&](double fraction) {
      DeferredSignals::deliver();
      progress_.show((static_cast<double>(done) + fraction) / to_do, what);
    });
    if (!goes_on) return false;
    ++done;
  }
  progress_.clear();
  return true;
}

bool TeamStudy::record(const Run& run, const TeamReport& team, const std::string& placement,
                       const std::function<void()>& add_rows) {
  if (team.interrupted) {
    interrupted_by_ = team.interruption();
    return false;
  }
  const bool whole = team.all_finished();
  lost_workers_ = lost_workers_ || !whole;
  at_first_rank(options_.ranks, [&] {
    progress_.clear();
    if (!whole) warn(fmt::format("run {} ({}): {}", run.number, run.title, team.losses()));
    directory_->note_placement(run.team + ": " + placement);
    add_rows();
  });
  return !lost_a_rank();
}

// Records in the directory and on the terminal how the study ended. Returns the exit code.
int TeamStudy::conclude(bool whole, const std::function<void()>& print) {
  const std::string output = directory_->path().string();
  directory_->finish(whole ? "done" : lost_a_rank() ? "failed" : "interrupted", interrupted_by_);
  if (!whole) {
    // Studies whose runs are programs of their own do not know the signal.
    const std::string interruption = interrupted_by_.empty() ? "interrupted" : "interrupted by " + interrupted_by_;
    fmt::print(stderr, "laxity: {}; the finished runs are in {}; the same command with --output {} resumes\n",
               lost_a_rank() ? "a rank was lost" : interruption, output, output);
    return 1;
  }
  if (!options_.quiet) {
    print();
    fmt::print("results in {}\n", output);
  }
  if (options_.report)
    if (const int code = run_python_laxity({"report", output}); code != 0) return code;
  return lost_workers_ ? 1 : 0;
}

// Only the rank that writes knows it.
bool TeamStudy::is_done(std::int64_t number) const {
  const bool done = directory_ != nullptr && directory_->runs_done().contains(number);
  return options_.ranks != nullptr ? options_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
}

bool TeamStudy::lost_a_rank() const { return options_.ranks != nullptr && options_.ranks->has_lost_a_rank(); }

}  // namespace laxity::cli
