// The machines that `laxity top` looks at: this one, and under a launcher of MPI those of all ranks.
//
// One rank of each machine looks at the jobs there, as it would alone, and reports their figures to the first rank when it
// likes: nobody waits for anybody, and ranks sleep in between. A machine whose reports stay away is silent, and its jobs
// stay as they were last seen.
// Threads: one, that which joined the MPI.
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

/// The jobs of this machine that have been seen, those that are over too.
class Watches {
 public:
  /// `pids`: only the jobs of these processes; empty: all. Jobs of `other_hosts`, which are there too where machines are
  /// emulated, are left to those who look at these.
  explicit Watches(std::vector<int> pids, std::set<std::string> other_hosts = {});

  /// Reads all known jobs again, and takes in new ones.
  void read();
  /// In the order in which they were found.
  [[nodiscard]] std::vector<JobFigures> figures() const;

 private:
  std::vector<int> pids_;
  std::set<std::string> other_hosts_;
  std::vector<JobWatch> watches_;
};

class Hosts {
 public:
  /// With `ranks`, of the first rank. Collective: the others call report_jobs().
  Hosts(Ranks* ranks, const std::vector<int>& pids, std::chrono::nanoseconds interval);

  /// Reads the counters of this machine.
  void read() { here_.read(); }
  /// Takes in what the others have reported.
  void listen();

  /// Every machine has reported at least once.
  [[nodiscard]] bool all_have_reported() const noexcept;
  [[nodiscard]] std::vector<HostFigures> hosts() const;
  /// Parts of one job beside each other; those that are over stand last.
  [[nodiscard]] std::vector<JobFigures> jobs() const;

  /// Lets the others end. A rank that does not answer for some seconds would keep all waiting: then the program ends here.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  struct Other {
    int rank = 0;
    std::string host{};
    std::vector<JobFigures> jobs{};
    Clock::time_point heard{};
    bool has_reported = false;
  };
  [[nodiscard]] bool is_silent(const Other& other) const;

  Ranks* ranks_;
  std::unique_ptr<Reports> reports_;
  Watches here_;
  std::vector<Other> others_;
  Clock::duration patience_;
};

/// What a rank does that is not the first: if it leads its host, reports the jobs there every `interval`, until the first
/// rank has seen enough. Collective, with Hosts.
void report_jobs(Ranks& ranks, const std::vector<int>& pids, std::chrono::nanoseconds first,
                 std::chrono::nanoseconds interval);

}  // namespace laxity::cli
