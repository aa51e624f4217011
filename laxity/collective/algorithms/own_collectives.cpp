#include "laxity/collective/algorithms/own_collectives.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "laxity/collective/algorithms/arrival_tree.hpp"
#include "laxity/collective/algorithms/detail/private_communicator.hpp"
#include "laxity/collective/algorithms/detail/reduction_steps.hpp"

namespace laxity::collective {
namespace {

using detail::Part;
using detail::part_of;
using detail::PrivateCommunicator;
using detail::ReductionSteps;
using detail::wait_all;
using detail::wait_any;

// What is received beyond the first contribution waits in no more room than this.
constexpr std::size_t max_waiting_bytes = std::size_t{64} << 20;

ArrivalTreeNode tree_node(const PrivateCommunicator& comm, int root) {
  return arrival_tree_node(static_cast<std::uint32_t>(comm.rank()), static_cast<std::uint32_t>(comm.size()),
                           static_cast<std::uint32_t>(root));
}

std::size_t waiting_contributions(const ReductionSteps& steps, std::size_t all) {
  const std::size_t fit = max_waiting_bytes / std::max<std::size_t>(steps.bytes(steps.count()), 1);
  return std::min(all, std::max<std::size_t>(fit, 1));
}

// Receives the contributions of the children, all that fit at the same time, and combines each when it is there.
void reduce_in_arrival_order(PrivateCommunicator& comm, const ReductionSteps& steps, int root) {
  const ArrivalTreeNode node = tree_node(comm, root);
  const std::optional<std::uint32_t>& parent = node.parent;
  const std::vector<std::uint32_t>& children = node.children;
  const int count = steps.count();
  if (children.empty() && parent) return comm.send(steps.own(), count, steps.type(), static_cast<int>(*parent));
  const std::size_t slots = waiting_contributions(steps, children.size());
  const std::size_t bytes = steps.bytes(count);
  std::byte* const room = comm.room((slots + 1) * bytes);
  const auto slot = [&](std::size_t at) { return steps.place(room + at * bytes, count); };
  std::vector<MPI_Request> requests(slots);
  std::size_t next = 0;
  const auto receive_next = [&](std::size_t at) {
    requests[at] = comm.start_receive(slot(at), count, steps.type(), static_cast<int>(children[next++]));
  };
  for (std::size_t at = 0; at < slots; ++at) receive_next(at);
  std::byte* const sum = parent ? slot(slots) : steps.result();
  steps.copy(steps.own(), sum, count);
  for (std::size_t combined = 0; combined < children.size(); ++combined) {
    const std::size_t at = wait_any(requests);
    steps.combine(slot(at), sum, count);
    if (next < children.size()) receive_next(at);
  }
  if (parent) comm.send(sum, count, steps.type(), static_cast<int>(*parent));
}

// The root combines the contributions of all from the last rank to the first, and receives the next ones meanwhile.
void reduce_in_rank_order(PrivateCommunicator& comm, const ReductionSteps& steps, int root) {
  const int count = steps.count(), last = comm.size() - 1;
  if (comm.rank() != root) return comm.send(steps.own(), count, steps.type(), root);
  const std::size_t slots = waiting_contributions(steps, static_cast<std::size_t>(comm.size()));
  const std::size_t bytes = steps.bytes(count);
  std::byte* const room = comm.room((slots + 1) * bytes);
  const auto slot = [&](int rank) { return steps.place(room + static_cast<std::size_t>(rank) % slots * bytes, count); };
  // The result replaces what the root contributes in place.
  const std::byte* own = steps.own();
  if (steps.is_in_place() && root != last) {
    std::byte* const kept = steps.place(room + slots * bytes, count);
    steps.copy(own, kept, count);
    own = kept;
  }
  std::vector<MPI_Request> requests(slots, MPI_REQUEST_NULL);
  const auto start = [&](int rank) {
    if (rank < 0 || rank == root) return;
    requests[static_cast<std::size_t>(rank) % slots] = comm.start_receive(slot(rank), count, steps.type(), rank);
  };
  for (int rank = last; rank > last - static_cast<int>(slots); --rank) start(rank);
  for (int rank = last; rank >= 0; --rank) {
    const std::byte* contribution = own;
    if (rank != root) {
      wait_all({&requests[static_cast<std::size_t>(rank) % slots], 1});
      contribution = slot(rank);
    }
    if (rank == last)
      steps.copy(contribution, steps.result(), count);
    else
      steps.combine(contribution, steps.result(), count);
    start(rank - static_cast<int>(slots));
  }
}

// Over the same tree in the other direction.
void broadcast(const PrivateCommunicator& comm, const ReductionSteps& steps) {
  const ArrivalTreeNode node = tree_node(comm, 0);
  if (node.parent) comm.receive(steps.result(), steps.count(), steps.type(), static_cast<int>(*node.parent));
  std::vector<MPI_Request> sends;
  for (const std::uint32_t child : node.children)
    sends.push_back(comm.start_send(steps.result(), steps.count(), steps.type(), static_cast<int>(child)));
  wait_all(sends);
}

// Sends every process the part of the vector that it combines, and combines the own part as contributions come. Returns
// the sends, which read the contribution.
template <class PartAt>
std::vector<MPI_Request> reduce_own_part(const PrivateCommunicator& comm, const ReductionSteps& steps, std::byte* room,
                                         const std::byte* own, std::byte* sum, PartAt part_at) {
  const int size = comm.size(), rank = comm.rank();
  const Part mine = part_at(rank);
  const std::size_t bytes = steps.bytes(mine.count);
  const auto slot = [&](std::size_t at) { return steps.place(room + at * bytes, mine.count); };
  std::vector<MPI_Request> receives, sends;
  for (int distance = 1; distance < size && mine.count > 0; ++distance)
    receives.push_back(
        comm.start_receive(slot(receives.size()), mine.count, steps.type(), (rank + size - distance) % size));
  for (int distance = 1; distance < size; ++distance) {
    const int to = (rank + distance) % size;
    const Part part = part_at(to);
    if (part.count > 0)
      sends.push_back(comm.start_send(own + part.begin * steps.extent(), part.count, steps.type(), to));
  }
  steps.copy(own + mine.begin * steps.extent(), sum, mine.count);
  for (std::size_t combined = 0; combined < receives.size(); ++combined)
    steps.combine(slot(wait_any(receives)), sum, mine.count);
  return sends;
}

// Without a root, every process receives the parts of all others; with one, the root alone.
void reduce_by_parts(PrivateCommunicator& comm, const ReductionSteps& steps, std::optional<int> root) {
  const int size = comm.size(), rank = comm.rank();
  const auto part_at = [&](int of) { return part_of(steps.count(), size, of); };
  const Part mine = part_at(rank);
  const bool gets_result = !root || rank == *root;
  const std::size_t of_contributions = static_cast<std::size_t>(size) * steps.bytes(mine.count);
  std::byte* const room = comm.room(of_contributions + steps.bytes(steps.count()));
  // Where the result replaces the contribution, that is sent from a copy.
  std::byte* const spare = steps.place(room + of_contributions, steps.count());
  const std::byte* own = steps.own();
  if (steps.is_in_place() && gets_result) {
    steps.copy(own, spare, steps.count());
    own = spare;
  }
  std::byte* const sum = gets_result ? steps.result() + mine.begin * steps.extent() : spare;
  std::vector<MPI_Request> receives;
  for (int distance = 1; distance < size && gets_result; ++distance) {
    const int from = (rank + size - distance) % size;
    const Part part = part_at(from);
    if (part.count > 0)
      receives.push_back(
          comm.start_receive(steps.result() + part.begin * steps.extent(), part.count, steps.type(), from, 1));
  }
  std::vector<MPI_Request> sends = reduce_own_part(comm, steps, room, own, sum, part_at);
  for (int distance = 1; distance < size && mine.count > 0; ++distance) {
    const int to = (rank + distance) % size;
    if (!root || to == *root) sends.push_back(comm.start_send(sum, mine.count, steps.type(), to, 1));
  }
  wait_all(receives);
  wait_all(sends);
}

// Every part starts at the process of its number and travels around the ring twice: combined on the first round,
// distributed on the second. Parts do not wait for each other, so that all that can be combined without a late process
// has been combined when it arrives. The tag is the number of the part; messages of the second round follow the first.
void allreduce_around_ring(PrivateCommunicator& comm, const ReductionSteps& steps) {
  const int size = comm.size(), rank = comm.rank();
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const auto part_at = [&](int of) { return part_of(steps.count(), size, of); };
  const auto address = [&](auto* base, const Part& part) { return base + part.begin * steps.extent(); };
  const std::size_t bytes = steps.bytes(part_at(0).count);
  std::byte* const room = comm.room(static_cast<std::size_t>(size) * bytes);
  const auto slot = [&](int part) {
    return steps.place(room + static_cast<std::size_t>(part) * bytes, part_at(part).count);
  };
  std::vector<MPI_Request> receives(static_cast<std::size_t>(size), MPI_REQUEST_NULL), sends;
  std::vector<bool> is_combined(static_cast<std::size_t>(size), false);
  const auto pass_on = [&](const std::byte* from, int part) {
    sends.push_back(comm.start_send(from, part_at(part).count, steps.type(), next, part));
  };
  const auto receive_result = [&](int part) {
    receives[static_cast<std::size_t>(part)] =
        comm.start_receive(address(steps.result(), part_at(part)), part_at(part).count, steps.type(), previous, part);
  };
  int expected = 0;
  for (int part = 0; part < size; ++part) {
    if (part == rank || part_at(part).count == 0) continue;
    receives[static_cast<std::size_t>(part)] =
        comm.start_receive(slot(part), part_at(part).count, steps.type(), previous, part);
    expected += part == next ? 1 : 2;
  }
  if (part_at(rank).count > 0) {
    steps.copy(address(steps.own(), part_at(rank)), slot(rank), part_at(rank).count);
    pass_on(slot(rank), rank);
    receive_result(rank);
    is_combined[static_cast<std::size_t>(rank)] = true;
    ++expected;
  }
  for (; expected > 0; --expected) {
    const std::size_t came = wait_any(receives);
    const int part = static_cast<int>(came);
    const Part where = part_at(part);
    if (is_combined[came]) {  // the second round, which ends two processes before the part's own
      if (next != (part + size - 1) % size) pass_on(address(steps.result(), where), part);
      continue;
    }
    is_combined[came] = true;
    steps.combine(address(steps.own(), where), slot(part), where.count);
    if (part == next)
      steps.copy(slot(part), address(steps.result(), where), where.count);
    else
      receive_result(part);
    pass_on(slot(part), part);
  }
  wait_all(sends);
}

// Receives everything at once. A large block leaves when its receiver has told that it waits for it: those who are there
// serve each other first, and no message to a late process is in the way.
void exchange_in_arrival_order(PrivateCommunicator& comm, const Exchange& exchange) {
  const int size = comm.size(), rank = comm.rank();
  constexpr int of_block = 0, of_notice = 1;
  const Reduction received{MPI_IN_PLACE, exchange.receive, size * exchange.receive_count, exchange.receive_type,
                           MPI_OP_NULL};
  const ReductionSteps steps(comm, received);  // for its copies only
  const bool in_place = exchange.send == MPI_IN_PLACE;
  auto* const to = static_cast<std::byte*>(exchange.receive);
  const auto* from = static_cast<const std::byte*>(exchange.send);
  const MPI_Datatype send_type = in_place ? exchange.receive_type : exchange.send_type;
  const int send_count = in_place ? exchange.receive_count : exchange.send_count;
  MPI_Aint lower_bound = 0, send_extent = 0;
  mpi::check("MPI_Type_get_extent", MPI_Type_get_extent(send_type, &lower_bound, &send_extent));
  if (in_place) {
    std::byte* const kept = steps.place(comm.room(steps.bytes(received.count)), received.count);
    steps.copy(to, kept, received.count);
    from = kept;
  }
  int element_bytes = 0;
  mpi::check("MPI_Type_size", MPI_Type_size(send_type, &element_bytes));
  const bool waits_for_notice = std::size_t{static_cast<unsigned>(send_count)} * static_cast<unsigned>(element_bytes) >
                                max_block_without_notice_bytes;
  const auto target = [&](int peer) { return to + peer * (exchange.receive_count * steps.extent()); };
  const auto send_block = [&](int peer) {
    return comm.start_send(from + peer * (send_count * send_extent), send_count, send_type, peer, of_block);
  };
  std::vector<MPI_Request> all, notices;
  std::vector<int> peers;
  for (int distance = 1; distance < size; ++distance) {
    const int peer = (rank + size - distance) % size;
    peers.push_back(peer);
    all.push_back(comm.start_receive(target(peer), exchange.receive_count, exchange.receive_type, peer, of_block));
    if (waits_for_notice) notices.push_back(comm.start_receive(nullptr, 0, MPI_BYTE, peer, of_notice));
  }
  for (int distance = 1; distance < size; ++distance) {
    const int peer = (rank + distance) % size;
    all.push_back(waits_for_notice ? comm.start_send(nullptr, 0, MPI_BYTE, peer, of_notice) : send_block(peer));
  }
  const std::byte* const own = from + rank * (send_count * send_extent);
  if (send_type == exchange.receive_type)
    steps.copy(own, target(rank), send_count);
  else
    comm.copy(own, send_count, send_type, target(rank), exchange.receive_count, exchange.receive_type);
  for (std::size_t served = 0; served < notices.size(); ++served) all.push_back(send_block(peers[wait_any(notices)]));
  wait_all(all);
}

// Runs the body of a collective, whose errors become the code that a call of MPI would return.
template <class Body>
mpi::Result result_of(const char* operation, Body body) noexcept {
  try {
    return {operation, body() ? MPI_SUCCESS : MPI_ERR_ARG};
  } catch (const MpiError& error) {
    return {operation, error.code()};
  } catch (...) {
    return {operation, MPI_ERR_NO_MEM};
  }
}

}  // namespace

mpi::Result own_reduce(OwnAlgorithm algorithm, const Reduction& reduction, int root, MPI_Comm communicator) noexcept {
  return result_of("own_reduce", [&] {
    if (algorithm == OwnAlgorithm::pre_reduced_ring) return false;
    PrivateCommunicator& comm = PrivateCommunicator::of(communicator);
    if (reduction.count == 0) return true;
    const ReductionSteps steps(comm, reduction);
    if (algorithm == OwnAlgorithm::rank_order || !steps.is_commutative())
      reduce_in_rank_order(comm, steps, root);
    else if (algorithm == OwnAlgorithm::reduce_scatter)
      reduce_by_parts(comm, steps, root);
    else
      reduce_in_arrival_order(comm, steps, root);
    return true;
  });
}

mpi::Result own_allreduce(OwnAlgorithm algorithm, const Reduction& reduction, MPI_Comm communicator) noexcept {
  return result_of("own_allreduce", [&] {
    PrivateCommunicator& comm = PrivateCommunicator::of(communicator);
    if (reduction.count == 0) return true;
    const ReductionSteps steps(comm, reduction);
    const bool in_rank_order = algorithm == OwnAlgorithm::rank_order || !steps.is_commutative();
    if (!in_rank_order && algorithm == OwnAlgorithm::reduce_scatter) {
      reduce_by_parts(comm, steps, std::nullopt);
    } else if (!in_rank_order && algorithm == OwnAlgorithm::pre_reduced_ring) {
      allreduce_around_ring(comm, steps);
    } else {
      if (in_rank_order)
        reduce_in_rank_order(comm, steps, 0);
      else
        reduce_in_arrival_order(comm, steps, 0);
      broadcast(comm, steps);
    }
    return true;
  });
}

mpi::Result own_alltoall(OwnAlgorithm algorithm, const Exchange& exchange, MPI_Comm communicator) noexcept {
  return result_of("own_alltoall", [&] {
    if (algorithm != OwnAlgorithm::arrival_order) return false;
    exchange_in_arrival_order(PrivateCommunicator::of(communicator), exchange);
    return true;
  });
}

}  // namespace laxity::collective
