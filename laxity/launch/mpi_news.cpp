#include "laxity/launch/mpi_news.hpp"

namespace laxity {
namespace {

constexpr int tag = 1;
constexpr int size = sizeof(NodeNews);

// Whether it has ended. `lost`: it failed.
bool is_done(MPI_Request& request, bool& lost) noexcept {
  int done = 0;
  if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) lost = true;
  return done != 0;
}

}  // namespace

MpiNews::MpiNews(MPI_Comm leaders) : leaders_(leaders) {
  int nodes = 0;
  MPI_Comm_rank(leaders_, &node_);
  MPI_Comm_size(leaders_, &nodes);
  peers_.resize(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    if (node != node_) receive_from(node);
  }
}

MpiNews::~MpiNews() = default;

void MpiNews::receive_from(int node) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(node)];
  if (MPI_Irecv(&peer.receiving, size, MPI_BYTE, node, tag, leaders_, &peer.receive) != MPI_SUCCESS) peer.lost = true;
}

void MpiNews::receive(int node, NodeNews& news) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(node)];
  while (peer.receive != MPI_REQUEST_NULL && is_done(peer.receive, peer.lost) && !peer.lost) {
    news = peer.receiving;
    if (news.over == 0) receive_from(node);
  }
}

bool MpiNews::send(int node, const NodeNews& mine) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(node)];
  if (peer.send != MPI_REQUEST_NULL && !is_done(peer.send, peer.lost)) return peer.lost;
  if (peer.lost || peer.sent.over != 0 || peer.sent == mine) return true;
  peer.sent = peer.sending = mine;
  if (MPI_Isend(&peer.sending, size, MPI_BYTE, node, tag, leaders_, &peer.send) != MPI_SUCCESS) peer.lost = true;
  return peer.lost || is_done(peer.send, peer.lost);
}

bool MpiNews::exchange(const NodeNews& mine, std::span<NodeNews> of_node) noexcept {
  bool told = true;
  for (int node = 0; node < static_cast<int>(peers_.size()); ++node) {
    if (node == node_) continue;
    Peer& peer = peers_[static_cast<std::size_t>(node)];
    NodeNews& news = of_node[static_cast<std::size_t>(node)];
    if (!peer.lost) receive(node, news);
    if (!peer.lost && !send(node, mine)) told = false;
    if (peer.lost) news.lost = NodeNews::leader_lost;
  }
  return told;
}

}  // namespace laxity
