#include "laxity/trace/detail/preload/communicators.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "laxity/trace/detail/preload/next.hpp"

namespace laxity::trace::preload {
namespace {

constinit Next<int(Handle, int*)> comm_size("MPI_Comm_size");
constinit Next<int(Handle, int*)> comm_rank("MPI_Comm_rank");
constinit Next<int(Handle, int*)> comm_test_inter("MPI_Comm_test_inter");
constinit Next<int(Handle, int*)> comm_remote_size("MPI_Comm_remote_size");
constinit Next<int(Handle, Handle*)> comm_group("MPI_Comm_group");
constinit Next<int(Handle, Handle*)> comm_remote_group("MPI_Comm_remote_group");
constinit Next<int(Handle, int, const int*, Handle, int*)> group_translate_ranks("MPI_Group_translate_ranks");
constinit Next<int(Handle*)> group_free("MPI_Group_free");
constinit Next<int(Handle, int*)> topo_test("MPI_Topo_test");
constinit Next<int(Handle, int*)> cartdim_get("MPI_Cartdim_get");
constinit Next<int(Handle, int, int*)> graph_neighbors_count("MPI_Graph_neighbors_count");
constinit Next<int(Handle, int*, int*, int*)> dist_graph_neighbors_count("MPI_Dist_graph_neighbors_count");

// Combines two values with the finalizer of splitmix64.
std::uint64_t mix(std::uint64_t seed, std::uint64_t value) noexcept {
  std::uint64_t z = seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// The members of a group as ranks in MPI_COMM_WORLD; processes of other worlds are negative.
std::vector<int> members(Handle group, int size, Handle world_group) {
  std::vector<int> own(static_cast<std::size_t>(size));
  std::vector<int> in_world(own.size(), -1);
  std::iota(own.begin(), own.end(), 0);
  group_translate_ranks(group, size, own.data(), world_group, in_world.data());
  group_free(&group);
  return in_world;
}

std::uint64_t digest(const std::vector<int>& ranks) noexcept {
  std::uint64_t sum = ranks.size();
  for (const int rank : ranks) sum = mix(sum, static_cast<std::uint64_t>(rank));
  return sum;
}

std::uint64_t members_digest(Handle communicator, const Communicator& record, const Abi& abi) {
  Handle world_group = 0;
  Handle group = 0;
  comm_group(abi.comm_world, &world_group);
  comm_group(communicator, &group);
  std::vector<int> first = members(group, static_cast<int>(record.size), world_group);
  std::vector<int> second;
  if (record.remote_size != 0) {
    comm_remote_group(communicator, &group);
    second = members(group, static_cast<int>(record.remote_size), world_group);
    if (second < first) first.swap(second);  // the id is the same in both groups
  }
  group_free(&world_group);
  return second.empty() ? digest(first) : mix(digest(first), digest(second));
}

// Sets the number of neighbors if the communicator has a topology.
void count_neighbors(KnownCommunicator& known, Handle communicator, const Abi& abi) {
  int topology = 0;
  if (topo_test(communicator, &topology) != 0) return;
  if (topology == abi.cart) {
    int dimensions = 0;
    if (cartdim_get(communicator, &dimensions) == 0) known.in_degree = known.out_degree = 2 * dimensions;
  } else if (topology == abi.graph) {
    int neighbors = 0;
    if (graph_neighbors_count(communicator, static_cast<int>(known.record.rank), &neighbors) == 0) {
      known.in_degree = known.out_degree = neighbors;
    }
  } else if (topology == abi.dist_graph) {
    int weighted = 0;
    dist_graph_neighbors_count(communicator, &known.in_degree, &known.out_degree, &weighted);
  }
}

}  // namespace

KnownCommunicator* Communicators::add(Handle communicator, Handle parent) {
  communicator = abi_.narrow(communicator);
  KnownCommunicator known;
  int size = 0;
  int rank = 0;
  int inter = 0;
  int remote_size = 0;
  if (comm_size(communicator, &size) != 0 || comm_rank(communicator, &rank) != 0) return nullptr;
  if (comm_test_inter(communicator, &inter) != 0) return nullptr;
  if (inter != 0 && comm_remote_size(communicator, &remote_size) != 0) return nullptr;
  known.record = {.id = 0,
                  .size = static_cast<std::uint32_t>(size),
                  .remote_size = static_cast<std::uint32_t>(remote_size),
                  .rank = static_cast<std::uint32_t>(rank)};
  if (inter == 0) count_neighbors(known, communicator, abi_);
  // The two groups of an inter-communicator have different parents.
  const KnownCommunicator* from = parent != 0 && inter == 0 ? find(parent) : nullptr;
  const std::uint64_t parent_id = from != nullptr ? from->record.id : 0;
  const std::uint64_t whose = members_digest(communicator, known.record, abi_);
  known.record.id = mix(mix(parent_id, whose), created_[{parent_id, whose}]++);
  known.index = next_index_++;
  records_[known.index] = known.record;
  last_handle_ = communicator;
  return last_ = &(known_[communicator] = known);
}

Communicator Communicators::add_persistent_operation(std::uint32_t of, std::uint64_t sequence) {
  Communicator record = records_[of];
  record.id = mix(record.id, sequence + 1);
  records_[next_index_++] = record;
  return record;
}

void Communicators::remove(Handle communicator) {
  known_.erase(abi_.narrow(communicator));
  last_ = nullptr;
}

}  // namespace laxity::trace::preload
