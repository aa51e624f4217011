// The team of a running program, whose counters are read from outside while they change.
//
// Elsewhere: how teams are found and what they publish (laxity/launch/job.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "laxity/launch/job.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/metrics/team_tables.hpp"

namespace laxity::cli {

class ObservedTeam {
 public:
  /// The team of this program, or of one that it started, as a script does; nothing if there is none.
  static std::optional<ObservedTeam> of_program(pid_t program, std::int64_t window_ns);

  /// Takes a snapshot if the last one is a window ago and all workers of this host update.
  void poll(std::int64_t now_ns);

  [[nodiscard]] const JobNotice& notice() const noexcept { return job_.notice(); }
  [[nodiscard]] const std::vector<LinkSnapshot>& snapshots() const noexcept { return snapshots_; }
  /// What a worker did between the first reading and the last. The counters outlive the program.
  [[nodiscard]] WorkerRow worker_row(std::int64_t run, int id) const;

 private:
  struct Reading {
    std::vector<WorkerObservation> workers;
    LinkObservations links;
  };

  ObservedTeam(Job job, std::int64_t window_ns) : job_(std::move(job)), window_ns_(window_ns) {}

  [[nodiscard]] WorkerState state_of(int id) const;
  [[nodiscard]] bool all_update() const;
  [[nodiscard]] Reading read() const;

  Job job_;
  std::int64_t window_ns_;
  std::int64_t next_ns_ = 0;
  int taken_ = 0;
  std::optional<std::vector<WorkerObservation>> first_;
  std::optional<Reading> last_;
  std::vector<LinkSnapshot> snapshots_;
};

}  // namespace laxity::cli
