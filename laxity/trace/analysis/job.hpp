// A job: the traces of all processes of one MPI_COMM_WORLD, with times on a global clock and with the calls of the
// processes joined to collective calls.
//
// Invariants: a collective call is identified by its communicator and its sequence number, which are the same in all
// processes. Memory: the process traces, and 16 bytes per call of a process. Threads: pure functions.
// Elsewhere: statistics of the calls (summary.hpp), arrival patterns (arrival_patterns.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "laxity/trace/file/kind.hpp"
#include "laxity/trace/file/reader.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

/// The part of one process in a collective call.
struct Participation {
  std::uint32_t process;  ///< index in Job::processes
  std::uint32_t call;     ///< index in its calls
};

/// A collective call with the parts of all traced processes.
struct CollectiveCall {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  std::uint32_t communicator = 0;  ///< index in Job::communicators
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;  ///< message size as in message_bytes(), the maximum over the processes
  std::size_t first = 0;    ///< index of its first participation
  std::uint32_t count = 0;  ///< number of its participations, in the order of the ranks
};

/// A communicator of the job.
struct JobCommunicator {
  std::uint64_t id = 0;
  std::uint32_t size = 1;  ///< of both groups together
  std::string name;        ///< "world", then "comm 1" and so on in the order of first use
};

struct Job {
  std::uint64_t id = 0;
  std::uint32_t size = 1;               ///< number of processes in MPI_COMM_WORLD
  std::vector<ProcessTrace> processes;  ///< the traced processes, by rank; all times are on the global clock
  std::vector<JobCommunicator> communicators;
  std::vector<CollectiveCall> calls;  ///< in the order of their first arrivals
  std::vector<Participation> participations;
  bool one_clock = true;           ///< whether times of different processes can be compared
  std::vector<std::string> notes;  ///< limitations of the data

  [[nodiscard]] std::span<const Participation> of(const CollectiveCall& call) const noexcept {
    return {participations.data() + call.first, call.count};
  }
  [[nodiscard]] const Call& call_of(const Participation& part) const noexcept {
    return processes[part.process].calls[part.call];
  }
  /// The first arrival at a call.
  [[nodiscard]] std::int64_t first_arrival_ns(const CollectiveCall& call) const noexcept;
  /// The delays of a call's participations: their arrivals relative to the first one.
  [[nodiscard]] std::vector<std::int64_t> delays_ns(const CollectiveCall& call) const;
  /// The number of recorded calls, the sum over the processes.
  [[nodiscard]] std::uint64_t recorded_calls() const noexcept;
  /// The earliest start of a process, the origin of times in tables and exports.
  [[nodiscard]] std::int64_t origin_ns() const noexcept;
};

/// The message size as benchmarks define it: the block that a process sends to one other process (alltoall, scatter), or
/// everything that it contributes (all other collectives).
[[nodiscard]] std::uint64_t message_bytes(const Call& call, const Communicator& communicator) noexcept;

/// Joins the traces of the processes of a job. Throws Error if they belong to several jobs or two have the same rank.
[[nodiscard]] Job join_processes(std::vector<ProcessTrace> processes);

/// Reads all jobs with trace files (*.lxtrace) in a folder, in the order of their start times. An empty file belongs to a
/// process that was killed at its start; it is left out and mentioned in the notes of the first job. Throws UsageError if
/// there are no trace files, and Error naming file and byte for a malformed one.
[[nodiscard]] std::vector<Job> read_jobs(const std::filesystem::path& folder);

}  // namespace laxity::trace
