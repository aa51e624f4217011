// Links over MPI as a program uses them: every rank with every rank, counted to the last frame.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "laxity/transport/mpi.hpp"
#include "tests/conformance/letters.hpp"

namespace laxity {
namespace {

using conformance::read_letter;
using conformance::send_letter;

int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

int ranks() {
  int number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  return number;
}

RemoteLink link_with(int peer, RingShape shape = {4, 64}) {
  return {.peer = peer, .key = BlockKey("test"), .shape = shape, .type = 7};
}

/// A link from every rank to every rank, itself included.
struct Everybody {
  explicit Everybody(MpiLinks& links, RingShape shape = {4, 64}) {
    for (int peer = 0; peer < ranks(); ++peer) {
      to.push_back(links.sender(link_with(peer, shape)));
      from.push_back(links.receiver(link_with(peer, shape)));
    }
    links.connect();
  }
  std::vector<AnySender> to;
  std::vector<AnyReceiver> from;
};

class MpiLinksOf : public testing::TestWithParam<MpiVariant> {};

TEST_P(MpiLinksOf, AccountForEveryFrameAcrossRanksOnceSettled) {
  MpiLinks links(MPI_COMM_WORLD, GetParam());
  Everybody all(links);
  std::vector<std::uint64_t> sent(all.to.size()), received(all.from.size());
  for (int update = 0; update < 500; ++update) {
    for (std::size_t peer = 0; peer < all.to.size(); ++peer) {
      if (send_letter(all.to[peer], sent[peer])) ++sent[peer];
      received[peer] += (update + rank()) % 3 == 0 ? all.from[peer].jump() : 0;
    }
  }
  links.settle();
  for (std::size_t peer = 0; peer < all.from.size(); ++peer) {
    received[peer] += all.from[peer].jump();
    if (received[peer] != 0) {
      EXPECT_EQ(read_letter(all.from[peer].frame(), 64), received[peer] - 1);
    }
  }
  std::vector<std::uint64_t> published(sent.size());
  MPI_Alltoall(sent.data(), 1, MPI_UINT64_T, published.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  EXPECT_EQ(received, published);
}

INSTANTIATE_TEST_SUITE_P(Variants, MpiLinksOf,
                         testing::Values(MpiVariant::two_sided, MpiVariant::ready_send, MpiVariant::one_sided),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace laxity
