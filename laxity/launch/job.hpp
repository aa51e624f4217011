// Running teams as other processes of the same user see them: how a team makes itself known, and how it is found.
//
// A team keeps two pieces of shared memory open: its counters, and a notice that says where they are. Both are files
// without a name that only /proc/<pid>/fd leads to, so whatever dies, nothing is left behind. A reader looks there,
// maps the counters read-only and reads them as they move; the team never notices. A team over the ranks of an MPI is a
// job on each of its hosts: the same name, and the workers of that host.
//
// Invariants: a reader cannot write what it maps. A notice is complete before it can be recognized.
// Threads: a PublishedJob belongs to its team, a Job to its reader.
// Elsewhere: the counters (metrics/counter_table.hpp), who looks at them (apps/laxity/top/options.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/metrics/counter_table.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {

/// What a team says about itself, constant once it is published; plain values that any process may read.
struct JobNotice {
  static constexpr std::uint64_t right_magic =
      0x3330'626f'6a78'616cu;  // "laxjob03": changes with this layout or the table's

  std::uint64_t magic = 0;  ///< written last
  SegmentAddress memory{};
  std::uint64_t table_offset = 0;  ///< of the counters in that memory, bytes
  std::int64_t started_ns = 0;     ///< SteadyClock
  std::int32_t pid = 0;            ///< of the supervisor, on each host the leading rank
  std::int32_t workers = 0;        ///< on all hosts; the state of those of other hosts is WorkerState::elsewhere
  std::int32_t threads = 0;        ///< of each process
  std::int32_t processes = 0;      ///< forked, or ranks; 0: the workers are threads of the supervisor
  std::int32_t hosts = 0;          ///< that the ranks of an MPI are on; 0: no ranks
  std::int32_t host_index = 0;     ///< this one, counted from 0
  char host[64] = {};              ///< the name of this machine; like the next two cut off, and ends with a zero
  char name[96] = {};              ///< of the job, the same on all hosts: host and number of its first process
  char command[256] = {};          ///< as one would type it

  /// "2t", "2p", "2p3t" (two processes of three threads), "2r3t" (two ranks of three).
  [[nodiscard]] std::string shape() const;
};

/// The name of this machine, as the system has it.
[[nodiscard]] std::string host_name();
/// What JobNotice::name says of a job whose first process this is.
[[nodiscard]] std::string job_name(const std::string& host, std::int64_t pid);

/// The memory of a team, offered to readers for as long as this object lives.
class PublishedJob {
 public:
  /// Reserves memory for the team. Throws SystemError.
  explicit PublishedJob(std::size_t bytes) : memory_(bytes), notice_(sizeof(JobNotice)) {}

  [[nodiscard]] const SegmentOffer& memory() const noexcept { return memory_; }
  /// From here on readers find it. `notice.memory`, `pid`, `host`, `command` and `started_ns` are filled in here, and
  /// `name` if it is empty.
  void publish(JobNotice notice);

 private:
  SegmentOffer memory_, notice_;
};

/// A job of this user on this host, with its counters mapped.
class Job {
 public:
  /// Those whose notice is of this version and fits its memory; what cannot be read is passed over.
  [[nodiscard]] static std::vector<Job> find_all();

  [[nodiscard]] const JobNotice& notice() const noexcept { return notice_; }
  /// For reading only: writing to it ends this process.
  [[nodiscard]] CounterTable table() const noexcept;
  /// False once the supervisor has ended or let go of the team; the counters stay as they were.
  [[nodiscard]] bool is_alive() const;
  /// Tells jobs apart, also when process numbers come again.
  [[nodiscard]] std::uint64_t identity() const noexcept { return notice_.memory.inode; }

  Job(Job&& other) noexcept;
  Job& operator=(Job&& other) noexcept;
  ~Job();

 private:
  Job(const JobNotice& notice, std::byte* mapping) noexcept : notice_(notice), mapping_(mapping) {}

  JobNotice notice_;
  std::byte* mapping_;  // notice_.memory.bytes long, read-only
};

}  // namespace laxity
