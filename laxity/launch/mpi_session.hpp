// The ranks of an MPI. MPI is started when a launcher has started this process, and ended with this object; a program that
// has started it itself keeps it.
//
// The asked level of thread support is what the ranks need: ranks of one worker each call MPI from one thread; with more
// workers a rank calls it from several at a time if the library grants that.
//
// Threads: as ranks.hpp says. Elsewhere: the links (laxity/transport/mpi.hpp), news between hosts (mpi_status_exchange.hpp).
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "laxity/launch/ranks.hpp"
#include "laxity/transport/mpi.hpp"

namespace laxity {

class MpiSession final : public Ranks {
 public:
  /// Starts MPI if the program has not; collective over all ranks. Throws UsageError for an unknown variant, Error if
  /// MPI finds another number of ranks than the launcher has started.
  explicit MpiSession(const RankOptions& options);
  /// Ends the MPI it has started; if a rank was lost, all ranks.
  ~MpiSession() override;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] std::string library() const override;
  [[nodiscard]] std::string thread_level() const override;
  [[nodiscard]] bool all_threads_may_send() const noexcept override { return granted_ == MPI_THREAD_MULTIPLE; }

  void broadcast_node(std::span<std::byte> bytes) override;
  void allgather(std::span<const std::byte> mine, std::span<std::byte> of_all) override;
  [[nodiscard]] std::vector<std::vector<std::byte>> gatherv(std::span<const std::byte> mine) override;
  void allreduce_or(std::span<std::byte> block) override;
  void barrier() override;
  [[nodiscard]] std::unique_ptr<StatusExchange> open_exchange() override;
  [[nodiscard]] std::unique_ptr<Reports> open_reports() override;
  [[nodiscard]] std::unique_ptr<RemoteLinks> open_links() override;
  [[noreturn]] void abort(int exit_code) noexcept override;

 private:
  void start(int threads);
  void find_hosts(int ranks_per_host);

  bool started_here_ = false;
  int granted_ = 0;
  MpiVariant variant_;
  MPI_Comm team_ = MPI_COMM_NULL;     // all ranks
  MPI_Comm host_ = MPI_COMM_NULL;     // those that share memory with this one
  MPI_Comm leaders_ = MPI_COMM_NULL;  // the lowest rank of each host, in the order of hosts; null in other ranks
};

}  // namespace laxity
