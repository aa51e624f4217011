// Tori and grids. Rows are written in direction order, without sorting.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity::topologies {
namespace {

// The product of the extents; throws if it is 0 or exceeds a limit.
std::uint32_t checked_nodes(const char* name, const std::vector<std::uint32_t>& extents) {
  std::uint64_t nodes = 1;
  for (const std::uint32_t extent : extents) {
    if (extent == 0) throw UsageError(std::string(name) + ": an extent is 0; extents are at least 1");
    nodes *= extent;
    // At most two edges per dimension and node.
    if (nodes > Topology::max_nodes || nodes * 2 * extents.size() > Topology::max_edges) {
      throw UsageError(std::string(name) + ": the extents give more than the " + std::to_string(Topology::max_edges) +
                       " edges that are supported; give smaller ones");
    }
  }
  return static_cast<std::uint32_t>(nodes);
}

// The difference between the ids of neighbors along each dimension.
std::vector<std::uint32_t> strides_of(const std::vector<std::uint32_t>& extents) {
  std::vector<std::uint32_t> strides(extents.size());
  std::uint32_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents[i];
  }
  return strides;
}

// Advances the coordinates to the next node; the last dimension varies fastest.
void advance(std::vector<std::uint32_t>& at, const std::vector<std::uint32_t>& extents) {
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (++at[i] < extents[i]) return;
    at[i] = 0;
  }
}

std::vector<std::uint32_t> divisors_of(std::uint32_t number) {
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t low = 1; std::uint64_t{low} * low <= number; ++low) {
    if (number % low != 0) continue;
    divisors.push_back(low);
    if (number / low != low) divisors.push_back(number / low);
  }
  return divisors;
}

// Tries every way to write a number as a non-increasing product, and keeps the one with the smallest surface.
class NearCubeSearch {
 public:
  NearCubeSearch(std::uint32_t nodes, std::uint32_t dimensions)
      : nodes_(nodes), divisors_(divisors_of(nodes)), trial_(dimensions) {
    extend(0, nodes, nodes);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& best() const { return best_; }

 private:
  void extend(std::size_t dimension, std::uint32_t rest, std::uint32_t limit) {
    if (dimension + 1 == trial_.size()) {
      if (rest > limit) return;
      trial_[dimension] = rest;
      std::uint64_t faces = 0;
      for (const std::uint32_t extent : trial_) faces += nodes_ / extent;
      if (faces >= min_faces_) return;
      min_faces_ = faces;
      best_ = trial_;
      return;
    }
    for (const std::uint32_t divisor : divisors_) {
      if (divisor > limit || rest % divisor != 0) continue;
      trial_[dimension] = divisor;
      extend(dimension + 1, rest / divisor, divisor);
    }
  }

  std::uint32_t nodes_;
  std::vector<std::uint32_t> divisors_;
  std::vector<std::uint32_t> trial_;
  std::vector<std::uint32_t> best_;
  std::uint64_t min_faces_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

Topology torus(const std::vector<std::uint32_t>& extents) {
  const std::uint32_t nodes = checked_nodes("torus", extents);
  const std::vector<std::uint32_t> strides = strides_of(extents);
  std::uint32_t degree = 0;
  for (const std::uint32_t extent : extents) degree += extent > 2 ? 2 : extent - 1;
  std::vector<std::uint32_t> neighbors(std::size_t{nodes} * degree);
  std::uint32_t* next = neighbors.data();
  std::vector<std::uint32_t> at(extents.size());
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] == 1) continue;
      const std::uint32_t once_round = strides[i] * (extents[i] - 1);
      *next++ = at[i] > 0 ? node - strides[i] : node + once_round;
      if (extents[i] == 2) continue;  // predecessor and successor are the same node
      *next++ = at[i] + 1 < extents[i] ? node + strides[i] : node - once_round;
    }
    advance(at, extents);
  }
  return Topology::from_lattice({extents, true}, {}, std::move(neighbors));
}

Topology tori(std::uint32_t count, const std::vector<std::uint32_t>& extents) {
  std::vector<std::uint32_t> of_all{count};
  of_all.insert(of_all.end(), extents.begin(), extents.end());
  static_cast<void>(checked_nodes("tori", of_all));
  const Topology one = torus(extents);
  std::vector<std::uint32_t> neighbors;
  neighbors.reserve(std::size_t{count} * one.edges());
  for (std::uint32_t first = 0; first < count * one.nodes(); first += one.nodes())
    for (std::uint32_t node = 0; node < one.nodes(); ++node)
      for (const std::uint32_t neighbor : one.outputs(node)) neighbors.push_back(first + neighbor);
  return Topology::from_lattice({std::move(of_all), false}, {}, std::move(neighbors));
}

Topology grid(const std::vector<std::uint32_t>& extents) {
  const std::uint32_t nodes = checked_nodes("grid", extents);
  const std::vector<std::uint32_t> strides = strides_of(extents);
  std::vector<std::uint32_t> offsets(std::size_t{nodes} + 1);
  std::vector<std::uint32_t> neighbors;
  neighbors.reserve(std::size_t{nodes} * 2 * extents.size());
  std::vector<std::uint32_t> at(extents.size());
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (at[i] > 0) neighbors.push_back(node - strides[i]);
      if (at[i] + 1 < extents[i]) neighbors.push_back(node + strides[i]);
    }
    offsets[std::size_t{node} + 1] = static_cast<std::uint32_t>(neighbors.size());
    advance(at, extents);
  }
  neighbors.shrink_to_fit();
  return Topology::from_lattice({extents, false}, std::move(offsets), std::move(neighbors));
}

std::vector<std::uint32_t> near_cube(std::uint32_t nodes, std::uint32_t dimensions) {
  if (nodes == 0) throw UsageError("near_cube: 0 nodes; give at least 1");
  if (dimensions == 0 || dimensions > 4) {
    throw UsageError("near_cube: " + std::to_string(dimensions) +
                     " dimensions; give 1 to 4, or the extents themselves");
  }
  return NearCubeSearch(nodes, dimensions).best();
}

}  // namespace laxity::topologies
