// The news of hosts over MPI: the newest state of each host, sent to every other one.
//
// Each pair of leaders has one receive posted and at most one send under way, in either direction. A state that changes
// while an older one is under way is sent afterwards, and what came in between is never sent: news only grow. Where the MPI
// survives the death of a rank (Open MPI 5 started with --with-ft ulfm), a leader that died is news too: its host is lost.
// Invariants: the news that all is over is the last that a host sends; with it the receive ends, so that nothing is left
// to cancel. Threads: one.
#pragma once

#include <mpi.h>

#include <vector>

#include "laxity/launch/ranks.hpp"

namespace laxity {

class MpiStatusExchange final : public StatusExchange {
 public:
  /// Between the ranks of `leaders`, which are the hosts in order. All make one, and the one before has ended.
  explicit MpiStatusExchange(MPI_Comm leaders);
  /// After exchange() has told that all is over everywhere; else the program is ending, and what is under way is left to
  /// MPI.
  ~MpiStatusExchange() override;
  MpiStatusExchange(const MpiStatusExchange&) = delete;
  MpiStatusExchange& operator=(const MpiStatusExchange&) = delete;

  bool exchange(const HostStatus& mine, std::span<HostStatus> of_host) noexcept override;

 private:
  struct Peer {
    HostStatus sent, sending, receiving;
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    bool lost = false;  // a message from or to it failed
  };

  void receive_from(int host) noexcept;
  /// What has come from there, the newest last.
  void receive(int host, HostStatus& news) noexcept;
  /// False: it, or an older state, is still on its way there. Nothing is owed to one that is lost.
  [[nodiscard]] bool send(int host, const HostStatus& mine) noexcept;

  MPI_Comm leaders_;
  int host_ = 0;
  std::vector<Peer> peers_;  // by host; that of this host is idle
};

}  // namespace laxity
