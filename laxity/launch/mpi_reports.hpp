// Reports of ranks to the first one over MPI, each in a message of its own size.
//
// A rank has at most one report under way, and the first rank takes in those of each rank by themselves: one that stands
// still holds up no other. An empty message from the first rank says that it is enough; the empty message with which each
// rank answers is its last.
// Threads: one.
#pragma once

#include <mpi.h>

#include <vector>

#include "laxity/launch/ranks.hpp"

namespace laxity {

class MpiReports final : public Reports {
 public:
  /// Between the ranks of `team`; one at a time.
  explicit MpiReports(MPI_Comm team);
  /// After close() was true; else the program is ending, and what is under way is left to MPI.
  ~MpiReports() override = default;
  MpiReports(const MpiReports&) = delete;
  MpiReports& operator=(const MpiReports&) = delete;

  bool send(std::span<const std::byte> report) override;
  [[nodiscard]] bool has_ended() override;
  void receive(const Take& take) override;
  void end() override;
  [[nodiscard]] bool close() override;

 private:
  /// What is under way between the first rank and another one.
  struct Line {
    std::vector<std::byte> report;
    MPI_Request report_request = MPI_REQUEST_NULL;
    MPI_Request word_request = MPI_REQUEST_NULL;  // of the first rank's word that it is enough
    bool is_done = false;                         // the last report is here
  };

  /// True once a report of this rank has come whole.
  [[nodiscard]] bool take_in(int rank);

  MPI_Comm team_;
  bool is_first_ = false;
  std::vector<Line> lines_;  // at the first rank one for each, its own idle; elsewhere the one to the first rank
  bool ended_ = false;
  bool answered_ = false;  // elsewhere: the last report is on its way
};

}  // namespace laxity
