// The processes of one MPI_COMM_WORLD together: their times on one clock, their calls joined to those of the others.
//
// Invariants: a call is known by its communicator and its number among the calls on it, which are the same in all its
// processes. Memory: that of the process traces, and 16 bytes a call of a process. Threads: pure functions. Elsewhere: what
// the calls come to (summary.hpp), how processes arrived (arrival.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "laxity/trace/file/reader.hpp"

namespace laxity::trace {

/// A call as one process took part in it.
struct Participation {
  std::uint32_t process;  ///< index in Job::processes
  std::uint32_t call;     ///< index in its calls
};

/// A call of a collective by all processes that were traced.
struct CollectiveCall {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  std::uint32_t communicator = 0;  ///< index in Job::communicators
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;  ///< the size of the message, as message_bytes() has it: the largest of all processes
  std::size_t first = 0;    ///< of its participations
  std::uint32_t count = 0;  ///< of its participations, by rank
};

/// A communicator as all its processes know it.
struct JobCommunicator {
  std::uint64_t id = 0;
  std::uint32_t size = 1;  ///< of both groups together
  std::string name;        ///< "world", then "comm 1" and so on in the order of first use
};

struct Job {
  std::uint64_t id = 0;
  std::uint32_t size = 1;               ///< of MPI_COMM_WORLD
  std::vector<ProcessTrace> processes;  ///< those that were traced, by rank; all times are global
  std::vector<JobCommunicator> communicators;
  std::vector<CollectiveCall> calls;  ///< in the order of their first arrivals
  std::vector<Participation> participations;
  bool one_clock = true;           ///< false: times of different processes cannot be compared
  std::vector<std::string> notes;  ///< what one should know about the data

  [[nodiscard]] std::span<const Participation> of(const CollectiveCall& call) const noexcept {
    return {participations.data() + call.first, call.count};
  }
  [[nodiscard]] const Call& call_of(const Participation& part) const noexcept {
    return processes[part.process].calls[part.call];
  }
  /// The moment from which times are best counted: the earliest start of a process, ns.
  [[nodiscard]] std::int64_t origin_ns() const noexcept;
};

/// The size of a message as benchmarks count it: what one process hands in for one other (alltoall, scatter), or the whole
/// vector (bcast, reduce, allreduce, gather, allgather).
[[nodiscard]] std::uint64_t message_bytes(const Call& call, const Communicator& communicator) noexcept;

/// Puts processes of one job together. Throws Error if they are not of one job, or a rank is there twice.
[[nodiscard]] Job join_processes(std::vector<ProcessTrace> processes);

/// All jobs whose files (*.lxtrace) lie in a folder, in the order in which they were started. Throws UsageError if there
/// are none; Error naming file and byte. A file without a whole process record is of a process that was killed while it
/// started; it is left out and named in `notes` of the first job.
[[nodiscard]] std::vector<Job> read_jobs(const std::filesystem::path& folder);

}  // namespace laxity::trace
