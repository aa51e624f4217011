// What `laxity top` knows of a job: two readings of its counters, a moment apart, and what they tell.
//
// Counters are read while they move, so figures of one reading do not belong together to the last update; nothing asks
// the workers, so they lose nothing. No figure is ever NaN or negative. Of a job over the hosts of an MPI the figures are
// those of one host: its workers, and of links to other hosts the end that is here.
// Threads: one.
// Elsewhere: how jobs are found (laxity/launch/job.hpp), the formulas (laxity/metrics/quality_of_service.hpp), what is
// shown (top/screen.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/launch/job.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity::cli {

/// The five metrics in the order of the catalog: period (ns), latency (updates), walltime latency (ns), failure rate,
/// clumpiness.
constexpr std::size_t metrics = 5;
using Metrics = std::array<double, metrics>;

struct LinkFigures {
  LinkKey key{};
  NeighborKind kind{};
  bool sender_is_here = true, receiver_is_here = true;  ///< else that end is on another host, and its figures are 0
  Metrics metric{};
  double attempted_per_second = 0, refused_per_second = 0, superseded_per_second = 0;
};

struct WorkerFigures {
  int id = 0;
  std::int64_t pid = 0;
  /// waiting, running, stalled (no update since the last reading, after some), finished, failed, killed, dead
  std::string state{};
  std::uint64_t updates = 0;
  double updates_per_second = 0;
  Metrics metric{};                                          ///< means over its links to other workers
  std::uint64_t events_processed = 0, events_committed = 0;  ///< of an optimistic simulation
  double committed_per_second = 0;
  double gvt = 0;
  std::vector<double> course{};  ///< updates per second of the last readings, oldest first
};

struct KindFigures {
  NeighborKind kind{};
  int links = 0;
  double attempted_per_second = 0, refused_per_second = 0, superseded_per_second = 0;
};

struct JobFigures {
  std::int32_t pid = 0;
  std::string name{};             ///< the same on all hosts: host and number of its first process
  std::string host{};             ///< that the figures are of
  int host_index = 0, hosts = 0;  ///< which one of how many; 0 of 0: no ranks
  std::string command{};
  std::string team{};   ///< "2t", "2p", "2p3t", "2r3t"
  std::string state{};  ///< running, stalled (no worker is running), ended, dead; silent: its host tells nothing more
  double seconds = 0;   ///< since it was started
  std::uint64_t memory_bytes = 0;
  double updates_per_second = 0;  ///< mean over the workers
  bool simulates = false;         ///< events have been processed: it is an optimistic simulation
  double efficiency = 1;          ///< events committed ÷ processed, of all workers so far
  double committed_per_second = 0;
  double gvt = 0;  ///< the lowest that a worker here knows
  std::vector<WorkerFigures> workers{};
  std::vector<LinkFigures> links{};  ///< in order, those of each layer by sender and receiver
  std::vector<KindFigures> kinds{};  ///< those that there are
};

/// One job, watched for as long as it is interesting; also after its end.
class JobWatch {
 public:
  /// Reads the counters once.
  explicit JobWatch(Job job);

  /// Reads them again; from then on figures are those between the last two readings.
  void read();
  [[nodiscard]] JobFigures figures() const;
  [[nodiscard]] std::uint64_t identity() const noexcept { return job_.identity(); }
  [[nodiscard]] std::string_view host() const noexcept { return job_.notice().host; }
  [[nodiscard]] bool is_over() const noexcept { return over_; }

 private:
  struct WorkerReading {
    WorkerObservation observed;
    WorkerState state;
    std::int64_t pid;
    std::uint64_t events_processed, events_committed;
    double gvt;
  };
  struct LinkReading {
    NeighborKind kind;
    std::uint32_t channels;
    InletObservation inlet;
    OutletObservation outlet;
  };
  struct Reading {
    std::vector<WorkerReading> workers;
    std::map<LinkKey, LinkReading> links;
  };

  [[nodiscard]] Reading read_now() const;
  [[nodiscard]] std::vector<LinkFigures> link_figures() const;
  [[nodiscard]] WorkerFigures worker_figures(int id, const std::vector<LinkFigures>& links) const;
  [[nodiscard]] bool is_elsewhere(std::size_t worker) const;
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] double rate_of(std::size_t worker) const;

  static constexpr std::size_t longest_course = 120;

  Job job_;
  Reading before_, after_;
  std::vector<std::deque<double>> courses_;  // of each worker
  bool over_ = false;
};

/// A machine that is looked at.
struct HostFigures {
  std::string name{};
  bool is_silent = false;  ///< it has told nothing for a while
};

/// All figures as one JSON document.
[[nodiscard]] std::string to_json(const std::vector<HostFigures>& hosts, const std::vector<JobFigures>& jobs);

}  // namespace laxity::cli
