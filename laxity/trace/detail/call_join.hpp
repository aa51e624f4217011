// Joins the calls of the processes of a job: a merge of their files by time, in which a call waits until all processes
// of its communicator have recorded it.
//
// Invariants: every recorded call is visited once. Memory: the calls that wait, which are few as long as the clocks of
// the processes agree and no process has ended. Threads: one at a time. Elsewhere: what the calls mean (job.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/file/reader.hpp"

namespace laxity::trace::detail {

class CallJoin {
 public:
  CallJoin(const Job& job, const VisitCall& visit);

  /// Reads all files to their ends. Returns the number of parts that were left out.
  std::uint64_t run();

 private:
  /// A communicator and a sequence number.
  struct Place {
    std::uint32_t communicator = 0;
    std::uint64_t sequence = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const noexcept {
      return static_cast<std::size_t>((place.sequence + (std::uint64_t{place.communicator} << 40)) *
                                      0x9e3779b97f4a7c15ULL);
    }
  };
  struct Parts {
    std::vector<Participation> all;
    std::uint32_t of_unended = 0;  // number of parts of processes with unread calls
  };
  using Waiting = std::unordered_map<Place, Parts, Hash>;
  using Turn = std::pair<std::int64_t, std::uint32_t>;  // the time up to which a process was read, and its index

  /// The last call of a thread that was read.
  struct Last {
    std::int64_t return_ns, exit_ns;
    std::uint32_t site;
  };

  bool read_some(std::uint32_t process, std::int64_t& read_ns);
  void add(const Participation& part);
  Participation part_of(std::uint32_t process, const Call& call);
  void process_ended(std::uint32_t process);
  void visit_waiting(Waiting::iterator waiting);

  const Job& job_;
  const VisitCall& visit_;
  std::vector<TraceReader> readers_;
  std::vector<std::unordered_map<std::uint32_t, Last>> last_;  // by process, of each thread
  std::vector<std::uint32_t> expected_;                        // by communicator: number of processes with unread calls
  Waiting waiting_;
  std::vector<Waiting::node_type> unused_;  // nodes of calls that were visited, to be used again
  std::uint64_t left_out_ = 0;
};

}  // namespace laxity::trace::detail
