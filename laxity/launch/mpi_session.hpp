// Ranks over MPI: a session of MPI that lasts as long as this object.
//
// MPI is initialized by the constructor and finalized by the destructor, unless the program has initialized it before.
// The requested level of thread support depends on the workers: ranks with one worker call MPI from one thread; ranks
// with more call it from several threads at a time, if the library grants that; otherwise the first worker relays.
//
// Threads: as ranks.hpp says.
// Elsewhere: links (laxity/transport/mpi.hpp), the host status exchange (mpi_status_exchange.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "laxity/launch/ranks.hpp"
#include "laxity/transport/mpi.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity {

class MpiSession final : public Ranks {
 public:
  /// Initializes MPI if the program has not; collective over all ranks. Throws UsageError for an unknown variant, Error
  /// if MPI finds another number of ranks than the launcher has started.
  explicit MpiSession(const RankOptions& options);
  /// Finalizes MPI if the constructor has initialized it; aborts all ranks if one was lost.
  ~MpiSession() override;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] std::string library() const override;
  [[nodiscard]] std::string thread_level() const override;
  [[nodiscard]] bool all_threads_may_send() const noexcept override {
    return granted_ == MPI_THREAD_MULTIPLE && !one_thread_sends_;
  }

  void broadcast_node(std::span<std::byte> bytes) override;
  void allgather(std::span<const std::byte> mine, std::span<std::byte> of_all) override;
  [[nodiscard]] std::vector<std::vector<std::byte>> gatherv(std::span<const std::byte> mine) override;
  void allreduce_or(std::span<std::byte> block) override;
  void barrier() override;
  [[nodiscard]] RankClock synchronize_clock() override;
  [[nodiscard]] std::unique_ptr<StatusExchange> open_exchange() override;
  [[nodiscard]] std::unique_ptr<Reports> open_reports() override;
  [[nodiscard]] std::unique_ptr<RemoteLinks> open_links(bool relayed) override;
  [[noreturn]] void abort(int exit_code) noexcept override;

 private:
  void initialize(bool several_threads_send);
  void find_hosts(int ranks_per_host);

  bool initialized_here_ = false;
  int granted_ = 0;
  bool one_thread_sends_;
  MpiVariant variant_;
  MPI_Comm team_ = MPI_COMM_NULL;     // all ranks
  MPI_Comm host_ = MPI_COMM_NULL;     // the ranks of this host
  MPI_Comm leaders_ = MPI_COMM_NULL;  // the leaders, by host; null at other ranks
};

}  // namespace laxity
