// The processes that a launcher such as mpirun has started together, as far as a team needs to know them.
//
// Each process is a rank. Ranks that share memory form a host; the lowest rank of a host leads it. This is the seam
// between teams and the MPI: all a team asks of it, and no more.
//
// Threads: all functions are for the thread that called join_ranks(), outside of Team::run() unless they say otherwise.
// "Collective": every rank calls it, in the same order; it returns when all have.
// Elsewhere: over MPI (mpi_session.hpp), who started us (launcher.hpp), what a team does with it (team.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "laxity/transport/remote_links.hpp"

namespace laxity {

/// Who is where. Hosts are numbered in the order of their lowest ranks.
struct RankMap {
  int rank = 0;                         ///< of this process
  std::vector<int> host_of_rank{0};     ///< its size is the number of ranks
  std::vector<std::string> host_names;  ///< the name of the machine

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(host_of_rank.size()); }
  [[nodiscard]] int hosts() const noexcept;
  [[nodiscard]] int host() const noexcept { return host_of_rank[static_cast<std::size_t>(rank)]; }
  /// The ranks of a host, in order; the first leads it.
  [[nodiscard]] std::vector<int> ranks_of(int host) const;
  [[nodiscard]] bool leads_host() const { return ranks_of(host()).front() == rank; }
};

/// What the hosts of a running team tell each other. Numbers only grow and flags are only raised, so that an older state
/// may be left out and the newest says all.
struct HostStatus {
  std::uint64_t meeting = 0;  ///< every worker of the host has reached this number of the barriers of the team
  std::uint64_t pacing = 0;   ///< and of those of the pacers
  std::uint64_t entered = 0;  ///< meetings of all ranks that a worker there knows of
  std::uint32_t stop = 0;     ///< somebody there asks everybody to end
  std::uint32_t broken = 0;   ///< a worker was lost there, so barriers hold no longer
  std::uint32_t over = 0;     ///< all workers there have ended; the last news
  std::uint32_t lost = 0;     ///< 1 + a worker there whose rank is gone, so that nothing collective can follow; 0: none
  static constexpr std::uint32_t leader_lost = 0xffffffff;  ///< as `lost`: what the others find out by themselves
  friend bool operator==(const HostStatus&, const HostStatus&) = default;
};

/// The exchange of news between the leaders of hosts, for one team. Each is used by one thread.
class StatusExchange {
 public:
  virtual ~StatusExchange() = default;
  /// Sends `mine` to the other hosts if it has changed, and brings `of_host` (by host) up to date with what has come.
  /// Never blocks; false: an older state is still on its way to some host, so that `mine` has to wait for a later call.
  virtual bool exchange(const HostStatus& mine, std::span<HostStatus> of_host) noexcept = 0;
};

/// Reports of ranks to the first one, of any size, now and then: nobody waits for anybody. Each is used by one thread.
class Reports {
 public:
  using Take = std::function<void(int rank, std::span<const std::byte> report)>;
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;
  virtual ~Reports() = default;

  /// Elsewhere than at the first rank: sends a report that is not empty. False: an earlier one is still on its way, so
  /// that this one is left out.
  virtual bool send(std::span<const std::byte> report) = 0;
  /// Elsewhere: whether the first rank wants no more.
  [[nodiscard]] virtual bool has_ended() = 0;

  /// At the first rank: take() gets every report that has come since, those of one rank in order.
  virtual void receive(const Take& take) = 0;
  /// At the first rank: tells the others that no more are wanted.
  virtual void end() = 0;

  /// After end(), and where has_ended(): true once nobody waits for this rank any more; until then to be called again.
  [[nodiscard]] virtual bool close() = 0;
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  [[nodiscard]] const RankMap& map() const noexcept { return map_; }
  [[nodiscard]] bool is_first() const noexcept { return map_.rank == 0; }
  /// "Open MPI v4.1.4"
  [[nodiscard]] virtual std::string library() const = 0;
  /// "MPI_THREAD_MULTIPLE": what was granted, for people
  [[nodiscard]] virtual std::string thread_level() const = 0;
  /// Whether all threads may talk to other hosts at a time, or only the one that called join_ranks().
  [[nodiscard]] virtual bool all_threads_may_send() const noexcept = 0;

  /// Collective: bytes of the leader of each host become those of its other ranks.
  virtual void broadcast_node(std::span<std::byte> bytes) = 0;
  /// Collective: the bytes of all ranks, as many from each, in order.
  virtual void allgather(std::span<const std::byte> mine, std::span<std::byte> of_all) = 0;
  /// Collective: at rank 0 the bytes of each rank, of any number; empty elsewhere.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gatherv(std::span<const std::byte> mine) = 0;
  /// Collective: each byte of a block that the ranks of a host share becomes the bitwise or of those of all hosts.
  virtual void allreduce_or(std::span<std::byte> block) = 0;
  /// Collective.
  virtual void barrier() = 0;
  /// For leaders, together, if there are several hosts.
  [[nodiscard]] virtual std::unique_ptr<StatusExchange> open_exchange() = 0;
  /// Collective.
  [[nodiscard]] virtual std::unique_ptr<Reports> open_reports() = 0;
  /// Collective: links between the hosts, for one team.
  [[nodiscard]] virtual std::unique_ptr<RemoteLinks> open_links() = 0;

  /// Collective: every rank takes the step. If it throws anywhere, all ranks throw the Error of the lowest one that
  /// failed, so that all can end in good order; a UsageError stays one.
  void agree(const std::function<void()>& step);
  /// True once agree() has thrown: all ranks know what is wrong, and one of them says it.
  [[nodiscard]] bool agreed_to_fail() const noexcept { return agreed_to_fail_; }

  /// A rank is gone, so nothing collective can be done any more; the others end with the process.
  void note_loss() noexcept { lost_ = true; }
  [[nodiscard]] bool has_lost_a_rank() const noexcept { return lost_; }
  /// Ends all ranks at once, this process with them, with `exit_code`.
  [[noreturn]] virtual void abort(int exit_code) noexcept = 0;

  /// allgather() for plain values: one of each rank.
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

/// What only the first rank does for all, such as writing files; without ranks just the step. Collective, and as agree():
/// what the step throws, all ranks throw.
void at_first_rank(Ranks* ranks, const std::function<void()>& step);

struct RankOptions {
  int threads = 1;         ///< workers of each rank
  int ranks_per_host = 0;  ///< that share memory, at most; 0: all that can; 1: all goes over MPI, for comparison
  std::string variant{};   ///< of messages between hosts: two_sided, ready_send, one_sided; empty: recommended
};

/// If a launcher has started this process: starts the MPI, unless the program has, and finds the other ranks. Otherwise
/// nothing, so that a program is the same however it is started. Throws Error if the launcher belongs to another MPI than
/// this build, or if the build has none.
[[nodiscard]] std::unique_ptr<Ranks> join_ranks(const RankOptions& options);

/// The MPI that this build uses, "Open MPI 4.1.4"; empty: none.
[[nodiscard]] std::string mpi_of_this_build();

}  // namespace laxity
