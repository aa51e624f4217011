#include "laxity/launch/mpi_news.hpp"

namespace laxity {
namespace {

constexpr int tag = 1;
constexpr int size = sizeof(NodeNews);

bool is_done(MPI_Request& request) noexcept {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

MpiNews::MpiNews(MPI_Comm leaders) : leaders_(leaders) {
  int nodes = 0;
  MPI_Comm_rank(leaders_, &node_);
  MPI_Comm_size(leaders_, &nodes);
  peers_.resize(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    if (node == node_) continue;
    Peer& peer = peers_[static_cast<std::size_t>(node)];
    MPI_Irecv(&peer.receiving, size, MPI_BYTE, node, tag, leaders_, &peer.receive);
  }
}

MpiNews::~MpiNews() = default;

bool MpiNews::exchange(const NodeNews& mine, std::span<NodeNews> of_node) noexcept {
  bool told = true;
  for (int node = 0; node < static_cast<int>(peers_.size()); ++node) {
    if (node == node_) continue;
    Peer& peer = peers_[static_cast<std::size_t>(node)];
    while (peer.receive != MPI_REQUEST_NULL && is_done(peer.receive)) {
      of_node[static_cast<std::size_t>(node)] = peer.receiving;
      if (peer.receiving.over == 0) MPI_Irecv(&peer.receiving, size, MPI_BYTE, node, tag, leaders_, &peer.receive);
    }
    if (peer.send != MPI_REQUEST_NULL && !is_done(peer.send)) {
      told = false;
    } else if (peer.sent.over == 0 && peer.sent != mine) {
      peer.sent = peer.sending = mine;
      MPI_Isend(&peer.sending, size, MPI_BYTE, node, tag, leaders_, &peer.send);
      told = is_done(peer.send) && told;
    }
  }
  return told;
}

}  // namespace laxity
