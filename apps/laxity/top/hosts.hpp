// The hosts whose jobs `laxity top` shows: this host, or the hosts of all ranks if it was started as MPI ranks.
//
// One rank per host reads the counters of the jobs there and reports their figures to the first rank. Reports are
// asynchronous, and ranks sleep between them. A host without recent reports is silent, and its jobs keep their last figures.
// Threads: one, the thread that initialized MPI.
// Elsewhere: the figures (top/figures.hpp), how reports travel (laxity/launch/ranks.hpp).
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apps/laxity/top/figures.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity::cli {

/// The jobs seen on this host so far, including those that have ended.
class Watches {
 public:
  /// `pids`: only the jobs of these processes; empty: all. Jobs of `other_hosts`, which are visible too where hosts are
  /// emulated, are ignored: the ranks of those hosts report them.
  explicit Watches(std::vector<int> pids, std::set<std::string> other_hosts = {});

  /// Reads the counters of all known jobs again and finds new jobs.
  void read();
  /// Forgets the jobs that have ended, and unmaps their counters.
  void forget_ended();
  /// In the order of discovery.
  [[nodiscard]] std::vector<JobFigures> figures() const;

 private:
  std::vector<int> pids_;
  std::set<std::string> other_hosts_;
  std::vector<JobWatch> watches_;
};

class Hosts {
 public:
  /// With `ranks`: on the first rank. Collective with report_jobs() of the others.
  Hosts(Ranks* ranks, const std::vector<int>& pids, std::chrono::nanoseconds interval);

  /// Reads the counters on this host.
  void read() { here_.read(); }
  /// Forgets the jobs of this host that have ended; for programs that run for weeks.
  void forget_ended() { here_.forget_ended(); }
  /// Receives the reports of the other hosts.
  void receive();

  /// Whether every host has reported at least once.
  [[nodiscard]] bool all_have_reported() const noexcept;
  [[nodiscard]] std::vector<HostFigures> hosts() const;
  /// The parts of a job over several hosts are adjacent; jobs that have ended come last.
  [[nodiscard]] std::vector<JobFigures> jobs() const;

  /// Ends the other ranks. If a rank does not answer within some seconds, this program ends without it.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  struct Other {
    int rank = 0;
    std::string host{};
    std::vector<JobFigures> jobs{};
    Clock::time_point last_report{};
    bool has_reported = false;
  };
  [[nodiscard]] bool is_silent(const Other& other) const;

  Ranks* ranks_;
  std::unique_ptr<Reports> reports_;
  Watches here_;
  std::vector<Other> others_;
  Clock::duration patience_;
};

/// Called by all ranks but the first: the leader of a host reports its jobs every `interval` until the first rank ends.
/// Collective with Hosts.
void report_jobs(Ranks& ranks, const std::vector<int>& pids, std::chrono::nanoseconds first,
                 std::chrono::nanoseconds interval);

}  // namespace laxity::cli
