// The figures that `laxity top` shows of a job, computed from two consecutive readings of its counters.
//
// Counters are read while they change, so the figures of one reading are not consistent to the last update; the workers are
// not disturbed. No figure is ever NaN or negative. For a job over several hosts the figures are those of one host: its
// workers, and the local ends of links to other hosts.
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

/// The five metrics of qos.csv in the order of its columns: simstep period (ns), simstep latency (updates), walltime
/// latency (ns), delivery failure rate, delivery clumpiness.
constexpr std::size_t metrics = 5;
using Metrics = std::array<double, metrics>;

/// What is shown over time, in this order: updates per second (of a simulation, committed events per second), and the metrics.
constexpr std::size_t courses = 1 + metrics;

struct LinkFigures {
  LinkKey key{};
  NeighborKind kind{};
  bool sender_is_here = true, receiver_is_here = true;  ///< false: that end is on another host, and its figures are 0
  Metrics metric{};
  double attempted_per_second = 0, refused_per_second = 0, superseded_per_second = 0;
};

struct WorkerFigures {
  int id = 0;
  std::int64_t pid = 0;
  /// waiting, running, stalled (running without an update since the last reading), finished, failed, killed, dead
  std::string state{};
  std::uint64_t updates = 0;
  double updates_per_second = 0;
  Metrics metric{};                                          ///< means over its links to other workers
  std::uint64_t events_processed = 0, events_committed = 0;  ///< of an optimistic simulation
  double committed_per_second = 0;
  double gvt = 0;
  bool exchanges = false;                             ///< has links to other workers; else only the first metric is one
  std::array<std::vector<double>, courses> course{};  ///< the last readings, oldest first
};

struct KindFigures {
  NeighborKind kind{};
  int links = 0;
  double attempted_per_second = 0, refused_per_second = 0, superseded_per_second = 0;
};

struct JobFigures {
  std::int32_t pid = 0;
  std::string name{};             ///< the same on all hosts: host and process ID of its first process
  std::string host{};             ///< that the figures belong to
  int host_index = 0, hosts = 0;  ///< index and number of hosts; 0 of 0: not started as MPI ranks
  std::string command{};
  std::string team{};   ///< "2t", "2p", "2p3t", "2r3t"
  std::string state{};  ///< running, stalled (no worker is running), ended, dead, silent (no reports from its host)
  double seconds = 0;   ///< since its start
  std::uint64_t memory_bytes = 0;
  double updates_per_second = 0;  ///< mean over the workers
  bool simulates = false;         ///< it has processed events, so it is an optimistic simulation
  double efficiency = 1;          ///< events committed ÷ processed, of all workers so far
  double committed_per_second = 0;
  double gvt = 0;  ///< minimum over the workers of this host
  std::vector<WorkerFigures> workers{};
  std::vector<LinkFigures> links{};  ///< by layer, sender and receiver
  std::vector<KindFigures> kinds{};  ///< kinds that occur
};

/// One job, also after its end.
class JobWatch {
 public:
  /// Reads the counters once.
  explicit JobWatch(Job job);

  /// Reads the counters again; figures() describes the time between the last two readings.
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
  void extend_courses();

  static constexpr std::size_t max_course = 120;

  Job job_;
  Reading before_, after_;
  std::vector<std::deque<std::array<double, courses>>> courses_;  // of each worker
  bool over_ = false;
};

/// A host whose jobs are shown.
struct HostFigures {
  std::string name{};
  bool is_silent = false;  ///< its reports have stopped
};

/// All figures as one JSON document.
[[nodiscard]] std::string to_json(const std::vector<HostFigures>& hosts, const std::vector<JobFigures>& jobs);

}  // namespace laxity::cli
