#include "laxity/launch/mpi_status_exchange.hpp"

#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

constexpr int tag = 1;
constexpr int size = sizeof(HostStatus);

// True once the request has completed; `lost` is set if it failed.
bool is_done(MPI_Request& request, bool& lost) noexcept {
  int done = 0;
  const mpi::Result tested{"MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE)};
  if (!tested.succeeded()) lost = true;
  return done != 0;
}

}  // namespace

MpiStatusExchange::MpiStatusExchange(MPI_Comm leaders) : leaders_(leaders) {
  host_ = mpi::rank_in(leaders_);
  const int hosts = mpi::size_of(leaders_);
  peers_.resize(static_cast<std::size_t>(hosts));
  for (int host = 0; host < hosts; ++host) {
    if (host != host_) post_receive(host);
  }
}

MpiStatusExchange::~MpiStatusExchange() = default;

void MpiStatusExchange::post_receive(int host) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(host)];
  const mpi::Result begun{"MPI_Irecv", MPI_Irecv(&peer.receiving, size, MPI_BYTE, host, tag, leaders_, &peer.receive)};
  if (!begun.succeeded()) peer.lost = true;
}

void MpiStatusExchange::receive(int host, HostStatus& status) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(host)];
  while (peer.receive != MPI_REQUEST_NULL && is_done(peer.receive, peer.lost) && !peer.lost) {
    status = peer.receiving;
    if (status.ended == 0) post_receive(host);
  }
}

bool MpiStatusExchange::send(int host, const HostStatus& mine) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(host)];
  if (peer.send != MPI_REQUEST_NULL && !is_done(peer.send, peer.lost)) return peer.lost;
  if (peer.lost || peer.sent.ended != 0 || peer.sent == mine) return true;
  peer.sent = peer.sending = mine;
  const mpi::Result begun{"MPI_Isend", MPI_Isend(&peer.sending, size, MPI_BYTE, host, tag, leaders_, &peer.send)};
  if (!begun.succeeded()) peer.lost = true;
  return peer.lost || is_done(peer.send, peer.lost);
}

bool MpiStatusExchange::exchange(const HostStatus& mine, std::span<HostStatus> of_host) noexcept {
  bool all_sent = true;
  for (int host = 0; host < static_cast<int>(peers_.size()); ++host) {
    if (host == host_) continue;
    Peer& peer = peers_[static_cast<std::size_t>(host)];
    HostStatus& status = of_host[static_cast<std::size_t>(host)];
    if (!peer.lost) receive(host, status);
    if (!peer.lost && !send(host, mine)) all_sent = false;
    if (peer.lost) status.lost = HostStatus::leader_lost;
  }
  return all_sent;
}

}  // namespace laxity
