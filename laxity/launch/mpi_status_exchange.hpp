// The host status exchange over MPI: every leader sends its newest HostStatus to every other leader.
//
// Each pair of leaders has one receive posted and at most one send in progress, in each direction. A status that
// changes during a send is sent afterwards; intermediate ones are never sent. If MPI survives the death of a rank (Open
// MPI 5 started with --with-ft ulfm), a failed call marks the other host as lost.
// Invariants: the status with `ended` is the last that a host sends, and no receive is posted after it, so that no
// request has to be canceled.
// Threads: one.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "laxity/launch/ranks.hpp"

namespace laxity {

class MpiStatusExchange final : public StatusExchange {
 public:
  /// Collective over `leaders`, whose ranks are the hosts in order; an earlier exchange over them must have ended.
  explicit MpiStatusExchange(MPI_Comm leaders);
  /// To be destroyed after every host has sent its last status; otherwise the program must end, since MPI may still
  /// write to the buffers of pending requests.
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

  void post_receive(int host) noexcept;
  /// Updates the status with the newest one received from the host.
  void receive(int host, HostStatus& status) noexcept;
  /// False: this status or an older one is still being sent to the host. Nothing is sent to a lost host.
  [[nodiscard]] bool send(int host, const HostStatus& mine) noexcept;

  MPI_Comm leaders_;
  int host_ = 0;
  std::vector<Peer> peers_;  // by host; the entry of this host is unused
};

}  // namespace laxity
