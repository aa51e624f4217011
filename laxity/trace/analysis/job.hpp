// A job: the processes of one MPI_COMM_WORLD with a trace file each, whose calls are read, converted to the global
// clock and joined to collective calls, one after the other.
//
// Invariants: a collective call is identified by its communicator and its sequence number, which are the same in all
// processes. Memory: the definitions of the processes and, while the calls are read, a block per process and the calls
// that some process has not reached; it does not grow with the length of the trace.
// Threads: pure functions; the files are read again at each visit.
// Elsewhere: joining (call_join.hpp), statistics of the calls (summary.hpp), arrival patterns (arrival_patterns.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "laxity/trace/file/kind.hpp"
#include "laxity/trace/file/reader.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

/// The linear map from a process's clock to the global clock, through the clock points after MPI_Init and before
/// MPI_Finalize.
class ToGlobalClock {
 public:
  ToGlobalClock() = default;
  explicit ToGlobalClock(const std::vector<ClockPoint>& points);

  [[nodiscard]] std::int64_t operator()(std::int64_t time_ns) const noexcept {
    return is_identity_ ? time_ns : convert(time_ns);
  }

 private:
  [[nodiscard]] std::int64_t convert(std::int64_t time_ns) const noexcept;

  std::int64_t origin_ns_ = 0;
  double offset_ns_ = 0, slope_ = 0;
  bool is_identity_ = true;
};

/// A process of a job and its definitions, with times on the global clock.
struct TracedProcess : ProcessDefinitions {
  std::string path;  ///< of the trace file
  ToGlobalClock to_global;
  std::vector<std::uint32_t> communicator_of;  ///< index in Job::communicators by index of the communicator record

  /// Largest error of the global clock, apart from that of its origin; infinite if it is not known.
  [[nodiscard]] double clock_error_ns() const noexcept;
};

/// Of Participation::previous_site: the call is the first one of its thread.
inline constexpr std::uint32_t no_site = 0xFFFF'FFFF;

/// The part of one process in a collective call.
struct Participation {
  std::uint32_t process = 0;              ///< index in Job::processes
  Call call;                              ///< with times on the global clock
  std::int64_t previous_exit_ns = 0;      ///< when its thread left the last recorded call, or the process MPI_Init
  std::uint32_t previous_site = no_site;  ///< the site of that call, an index as Call::site
};

/// A collective call with the parts of all traced processes.
struct CollectiveCall {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  std::uint32_t communicator = 0;  ///< index in Job::communicators
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;               ///< message size as in message_bytes(), the maximum over the processes
  std::span<const Participation> parts;  ///< at least one, in the order of the ranks

  [[nodiscard]] std::int64_t first_arrival_ns() const noexcept;
  /// The arrivals of the parts relative to the first one.
  [[nodiscard]] std::vector<std::int64_t> delays_ns() const;
};

/// A communicator of the job.
struct JobCommunicator {
  std::uint64_t id = 0;
  std::uint32_t size = 1;    ///< of both groups together
  std::uint32_t traced = 0;  ///< number of traced processes in it
  std::string name;          ///< "world", then "comm 1" and so on in the order of their records
};

/// Called for every collective call; its parts are valid during the call.
using VisitCall = std::function<void(const CollectiveCall&)>;

struct Job {
  std::uint64_t id = 0;
  std::uint32_t size = 1;                ///< number of processes in MPI_COMM_WORLD
  std::vector<TracedProcess> processes;  ///< by rank
  std::vector<JobCommunicator> communicators;
  bool one_clock = true;           ///< whether times of different processes can be compared
  std::vector<std::string> notes;  ///< limitations of the data

  /// Visits the collective calls in the order in which the last process that takes part recorded them. Returns the
  /// number of calls of single processes that were left out, because other processes called another collective at the
  /// same place.
  std::uint64_t for_each_call(const VisitCall& visit) const;
  /// The number of recorded calls, the sum over the processes.
  [[nodiscard]] std::uint64_t recorded_calls() const noexcept;
  /// The earliest start of a process, the origin of times in tables and exports.
  [[nodiscard]] std::int64_t origin_ns() const noexcept;
};

/// The message size as benchmarks define it: the block that a process sends to one other process (alltoall, scatter),
/// or everything that it contributes (all other collectives).
[[nodiscard]] std::uint64_t message_bytes(const Call& call, const Communicator& communicator) noexcept;

/// All jobs with trace files (*.lxtrace) in a folder, in the order of their start times. An empty file belongs to a
/// process that was killed at its start; it is left out and mentioned in the notes of the first job. Throws UsageError
/// if there are no trace files, Error naming file and byte for a malformed one, and Error if two processes of a job
/// have the same rank.
[[nodiscard]] std::vector<Job> read_jobs(const std::filesystem::path& folder);

}  // namespace laxity::trace
