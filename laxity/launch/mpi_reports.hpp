// Reports of ranks to rank 0 over MPI, one message each.
//
// A rank has at most one report in transit, and rank 0 receives from each rank independently, so that a rank that stops
// delays no other. An empty message from rank 0 requests the end; each rank answers with an empty message, its last.
// Threads: one.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "laxity/launch/ranks.hpp"

namespace laxity {

class MpiReports final : public Reports {
 public:
  /// Collective over `team`; one object at a time.
  explicit MpiReports(MPI_Comm team);
  /// To be destroyed after close() has returned true; otherwise the program must end, since MPI may still use buffers
  /// of pending requests.
  ~MpiReports() override = default;
  MpiReports(const MpiReports&) = delete;
  MpiReports& operator=(const MpiReports&) = delete;

  bool send(std::span<const std::byte> report) override;
  [[nodiscard]] bool has_ended() override;
  void receive(const Handler& handle) override;
  void end() override;
  [[nodiscard]] bool close() override;

 private:
  /// The messages between rank 0 and another rank.
  struct Channel {
    std::vector<std::byte> report;
    MPI_Request report_request = MPI_REQUEST_NULL;
    MPI_Request end_request = MPI_REQUEST_NULL;  // of the message that requests the end
    bool is_done = false;                        // the last report has arrived
  };

  /// True if a report of this rank was received.
  [[nodiscard]] bool try_receive(int rank);

  MPI_Comm team_;
  bool is_first_ = false;
  std::vector<Channel> channels_;  // at rank 0 by rank, its own unused; elsewhere one, to rank 0
  bool ended_ = false;
  bool answered_ = false;  // elsewhere: the last message is being sent
};

}  // namespace laxity
