// Jobs: running teams as other processes of the same user observe them. How a team is published and how it is found.
//
// A team keeps two pieces of shared memory open: its counters, and a notice that describes the team and says where the
// counters are. Both are files without a name that are reached through `/proc/<pid>/fd` only, so nothing is left behind
// when a process dies. A reader searches there, maps the counters read-only and reads them while they change; the team
// does not notice. A team over the ranks of an MPI is a job on each of its hosts, with the same name and the workers of
// that host.
//
// Invariants: a reader cannot write what it maps. A notice is complete before its magic number is written.
// Threads: a PublishedJob belongs to its team, a Job to its reader.
// Elsewhere: the counters (metrics/counter_table.hpp), their reader (apps/laxity/top).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/metrics/counter_table.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {

/// The description of a team, constant once it is published; plain values that any process may read.
struct JobNotice {
  static constexpr std::uint64_t right_magic =
      0x3330'626f'6a78'616cu;  // "laxjob03": changes with this layout or the table's

  std::uint64_t magic = 0;  ///< written last
  SegmentAddress memory{};
  std::uint64_t table_offset = 0;  ///< of the counters in that memory, bytes
  std::int64_t started_ns = 0;     ///< SteadyClock
  std::int32_t pid = 0;            ///< of the supervisor; on each host the leader
  std::int32_t workers = 0;        ///< on all hosts; WorkerState::elsewhere marks those of other hosts
  std::int32_t threads = 0;        ///< of each process
  std::int32_t processes = 0;      ///< forked, or ranks; 0: the workers are threads of the supervisor
  std::int32_t hosts = 0;          ///< number of hosts that the ranks are on; 0: no ranks
  std::int32_t host_index = 0;     ///< of this host, from 0
  char host[64] = {};              ///< name of this host; truncated and terminated by a zero like the next two
  char name[96] = {};              ///< of the job, the same on all hosts: host and process number of its first process
  char command[256] = {};          ///< the command line

  /// "2t", "2p", "2p3t" (two processes of three threads), "2r3t" (two ranks of three).
  [[nodiscard]] std::string shape() const;
};

/// The name of this host.
[[nodiscard]] std::string host_name();
/// JobNotice::name of a job with this first process.
[[nodiscard]] std::string job_name(const std::string& host, std::int64_t pid);

/// The memory of a team, which readers can find for as long as this object lives.
class PublishedJob {
 public:
  /// Reserves memory for the team. Throws SystemError.
  explicit PublishedJob(std::size_t bytes) : memory_(bytes), notice_(sizeof(JobNotice)) {}

  [[nodiscard]] const SegmentOffer& memory() const noexcept { return memory_; }
  /// Makes the job visible to readers. Fills in `memory`, `pid`, `host`, `command` and `started_ns` of the notice, and
  /// `name` if it is empty.
  void publish(JobNotice notice);

 private:
  SegmentOffer memory_, notice_;
};

/// A job of this user on this host, with its counters mapped.
class Job {
 public:
  /// All jobs whose notice has this version and fits its memory; those that cannot be read are skipped.
  [[nodiscard]] static std::vector<Job> find_all();

  [[nodiscard]] const JobNotice& notice() const noexcept { return notice_; }
  /// Read-only: writing to it ends this process with a signal.
  [[nodiscard]] CounterTable table() const noexcept;
  /// False once the supervisor has ended or destroyed the team; the counters keep their last values.
  [[nodiscard]] bool is_alive() const;
  /// Distinguishes jobs, even if process numbers are reused.
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
