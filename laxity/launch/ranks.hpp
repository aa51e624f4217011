// The interface between teams and MPI: the processes that a launcher such as mpirun has started together.
//
// Each process is a rank. Ranks that share memory form a host; the lowest rank of a host is its leader.
//
// Threads: all functions are for the thread that called join_ranks(), outside of Team::run() unless they say otherwise.
// "Collective": every rank calls the function, in the same order; it returns when all have called it.
// Elsewhere: the implementation over MPI (mpi_session.hpp), the launcher (launcher.hpp), teams over ranks (team.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "laxity/clock/clock_model.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity {

/// Which rank runs on which host. Hosts are numbered in the order of their lowest ranks.
struct RankMap {
  int rank = 0;                         ///< of this process
  std::vector<int> host_of_rank{0};     ///< the number of ranks is its size
  std::vector<std::string> host_names;  ///< by rank

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(host_of_rank.size()); }
  [[nodiscard]] int hosts() const noexcept;
  [[nodiscard]] int host() const noexcept { return host_of_rank[static_cast<std::size_t>(rank)]; }
  /// The ranks of a host in increasing order; the first is the leader.
  [[nodiscard]] std::vector<int> ranks_of(int host) const;
  [[nodiscard]] bool leads_host() const { return ranks_of(host()).front() == rank; }
};

/// The state of a running team on one host, which its leader sends to the other leaders. Numbers only grow and flags
/// are only set, so the newest status replaces all older ones.
struct HostStatus {
  std::uint64_t barrier = 0;      ///< every worker of the host has reached this number of Worker::barrier()
  std::uint64_t pacing = 0;       ///< every worker of the host has reached this number of the pacing barrier
  std::uint64_t link_setups = 0;  ///< link set-ups that a worker of the host has entered (detail/link_setup.hpp)
  std::uint32_t stop = 0;         ///< 1: a stop was requested on the host
  std::uint32_t broken = 0;       ///< 1: a worker of the host was lost, so the barriers are broken
  std::uint32_t ended = 0;        ///< 1: all workers of the host have ended; no other status follows
  std::uint32_t lost = 0;  ///< 1 + the number of a worker whose rank is gone, after which no collective can follow
  static constexpr std::uint32_t leader_lost = 0xffffffff;  ///< value of `lost` for a host whose leader is gone
  friend bool operator==(const HostStatus&, const HostStatus&) = default;
};

/// The status exchange between the leaders of all hosts, for one team. Used by one thread of each leader.
class StatusExchange {
 public:
  virtual ~StatusExchange() = default;
  /// Sends `mine` to the other hosts if it has changed, and updates `of_host` (by host) with what was received. Never
  /// blocks. False: an older status is still being sent to some host, so `mine` has to be sent by a later call.
  virtual bool exchange(const HostStatus& mine, std::span<HostStatus> of_host) noexcept = 0;
};

/// Reports of any size from every rank to rank 0, at any time; no rank waits for another. Used by one thread of each
/// rank.
class Reports {
 public:
  using Handler = std::function<void(int rank, std::span<const std::byte> report)>;
  static constexpr std::size_t max_bytes = std::size_t{1} << 30;
  virtual ~Reports() = default;

  /// For ranks other than 0: sends a report that is not empty. False: an earlier one is still being sent, and this one
  /// is discarded.
  virtual bool send(std::span<const std::byte> report) = 0;
  /// For ranks other than 0: true once rank 0 wants no more reports.
  [[nodiscard]] virtual bool has_ended() = 0;

  /// For rank 0: calls the handler with every report that has arrived, those of one rank in order.
  virtual void receive(const Handler& handle) = 0;
  /// For rank 0: tells the others that no more reports are wanted.
  virtual void end() = 0;

  /// After end() at rank 0 and after has_ended() elsewhere, to be called until it returns true: no rank waits for this
  /// one any more.
  [[nodiscard]] virtual bool close() = 0;
};

/// The clock of rank 0, as another rank computes it from SteadyClock.
struct RankClock {
  ClockModel model{};
  std::int64_t error_ns = 0;  ///< largest error when it was measured
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  [[nodiscard]] const RankMap& map() const noexcept { return map_; }
  [[nodiscard]] bool is_first() const noexcept { return map_.rank == 0; }
  /// "Open MPI v4.1.4"
  [[nodiscard]] virtual std::string library() const = 0;
  /// The granted level of thread support, for people: "MPI_THREAD_MULTIPLE".
  [[nodiscard]] virtual std::string thread_level() const = 0;
  /// True if all threads may send to other hosts at the same time, false if only the one that called join_ranks() may.
  [[nodiscard]] virtual bool all_threads_may_send() const noexcept = 0;

  /// Collective: copies the bytes of each host's leader to the other ranks of the host.
  virtual void broadcast_node(std::span<std::byte> bytes) = 0;
  /// Collective: every rank gets the bytes of all ranks in order, the same number from each.
  virtual void allgather(std::span<const std::byte> mine, std::span<std::byte> of_all) = 0;
  /// Collective: rank 0 gets the bytes of each rank, any number of them; the other ranks get nothing.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gatherv(std::span<const std::byte> mine) = 0;
  /// Collective: each byte of a block that the ranks of a host share becomes the bitwise or of that byte on all hosts.
  virtual void allreduce_or(std::span<std::byte> block) = 0;
  /// Collective: returns when every rank has called it.
  virtual void barrier() = 0;
  /// Collective: measures the clock of rank 0. Takes a fraction of a second for each doubling of the number of
  /// different clocks, hardly any time if all ranks read one.
  [[nodiscard]] virtual RankClock synchronize_clock() = 0;
  /// Collective over the leaders, if there are several hosts.
  [[nodiscard]] virtual std::unique_ptr<StatusExchange> open_exchange() = 0;
  /// Collective.
  [[nodiscard]] virtual std::unique_ptr<Reports> open_reports() = 0;
  /// Collective: links between the hosts, for one team. If `relayed`, only the calling thread communicates, for the ends
  /// of all threads.
  [[nodiscard]] virtual std::unique_ptr<RemoteLinks> open_links(bool relayed) = 0;

  /// Collective: runs the step on every rank. If it throws on any rank, all ranks throw the Error of the lowest rank
  /// that failed, so that all can end in an orderly way; a UsageError stays one.
  void agree(const std::function<void()>& step);
  /// True once agree() has thrown: all ranks know the error, and rank 0 reports it.
  [[nodiscard]] bool agreed_to_fail() const noexcept { return agreed_to_fail_; }

  /// Notes that a rank is gone: nothing collective can be done any more, and the MPI ends with this process.
  void note_loss() noexcept { lost_ = true; }
  [[nodiscard]] bool has_lost_a_rank() const noexcept { return lost_; }
  /// Ends all ranks at once, including this process, with `exit_code`.
  [[noreturn]] virtual void abort(int exit_code) noexcept = 0;

  /// Collective: allgather() of one plain value of each rank.
  template <class T>
  [[nodiscard]] std::vector<T> allgather_values(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(map_.ranks()));
    allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }

 protected:
  RankMap map_;

 private:
  bool agreed_to_fail_ = false;
  bool lost_ = false;
};

/// Collective: runs the step on rank 0 only, such as writing files; with null, in this process. As with agree(), all
/// ranks throw what the step throws.
void at_first_rank(Ranks* ranks, const std::function<void()>& step);

/// What something is on this rank, as text: {"seed", "1"}.
using Fact = std::pair<std::string, std::string>;

/// Collective: all ranks throw the same UsageError, which names the fact and the ranks, if one has a different fact from
/// rank 0.
void require_equal_on_ranks(Ranks& ranks, const std::vector<Fact>& facts);

struct RankOptions {
  int threads = 1;                ///< workers of each rank
  int ranks_per_host = 0;         ///< maximum number that share memory; 0: all that can; 1: all use MPI, for comparison
  std::string variant{};          ///< of messages between hosts: two_sided, ready_send, one_sided; empty: recommended
  bool one_thread_sends = false;  ///< the first thread of a rank sends for all, even if the MPI permits it to each
};

/// Starts MPI, unless the program has, and finds the other ranks. Returns null if no launcher has started this process,
/// so that a program can be the same with and without a launcher. Throws Error if the launcher belongs to another MPI
/// than this build, or if this build has none.
[[nodiscard]] std::unique_ptr<Ranks> join_ranks(const RankOptions& options);

/// The MPI that this build uses, "Open MPI 4.1.4"; empty: none.
[[nodiscard]] std::string mpi_of_this_build();

}  // namespace laxity
