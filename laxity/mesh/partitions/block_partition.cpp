// Boxes of a lattice: the number of parts of each dimension, and the box of each node.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/partitions/detail/check_workers.hpp"
#include "laxity/mesh/partitions/partition.hpp"

namespace laxity::partitions {
namespace {

// The number of parts per dimension, and the cost of that cut.
struct Split {
  std::vector<std::uint32_t> parts;
  std::uint64_t largest_box = 0;
  std::uint64_t cut_edges = 0;  // reciprocal connections between boxes
};

Split evaluate(const Lattice& lattice, std::uint64_t nodes, const std::vector<std::uint32_t>& parts) {
  Split split{parts, 1, 0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t extent = lattice.extents[i];
    split.largest_box *= (extent + parts[i] - 1) / parts[i];
    // A torus has one more face between parts than a grid, except along an extent of 2, where both directions lead to
    // the same neighbor.
    const bool round = lattice.wraps && extent > 2 && parts[i] > 1;
    split.cut_edges += nodes / extent * (round ? parts[i] : parts[i] - 1);
  }
  return split;
}

// Every way to write `workers` as a product of one factor per dimension, each at most the extent.
class SplitSearch {
 public:
  SplitSearch(const Lattice& lattice, std::uint64_t nodes, std::uint32_t workers)
      : lattice_(lattice), nodes_(nodes), parts_(lattice.extents.size(), 1) {
    extend(0, workers);
  }

  /// The way with the smallest cut among those whose largest box is nearly minimal; empty if there is none.
  [[nodiscard]] std::vector<std::uint32_t> best() const {
    std::uint64_t smallest_box = std::numeric_limits<std::uint64_t>::max();
    for (const Split& split : found_) smallest_box = std::min(smallest_box, split.largest_box);
    const Split* best = nullptr;
    for (const Split& split : found_) {
      if (split.largest_box - smallest_box > smallest_box / 20) continue;
      // Slabs of a torus may cut as few edges as squares; fewer parts in all are closer to a cube.
      const auto rank = [](const Split& s) {
        return std::tuple(s.cut_edges, std::accumulate(s.parts.begin(), s.parts.end(), 0U), s.largest_box);
      };
      if (best == nullptr || rank(split) < rank(*best)) best = &split;
    }
    return best == nullptr ? std::vector<std::uint32_t>() : best->parts;
  }

 private:
  void extend(std::size_t dimension, std::uint32_t rest) {
    if (dimension == parts_.size()) {
      if (rest == 1) found_.push_back(evaluate(lattice_, nodes_, parts_));
      return;
    }
    // Equal extents are interchangeable: without this limit a hypercube would have millions of ways.
    const bool same_as_before = dimension > 0 && lattice_.extents[dimension] == lattice_.extents[dimension - 1];
    const std::uint32_t limit = same_as_before ? parts_[dimension - 1] : lattice_.extents[dimension];
    for (std::uint32_t parts = 1; parts <= std::min(limit, rest); ++parts) {
      if (rest % parts != 0) continue;
      parts_[dimension] = parts;
      extend(dimension + 1, rest / parts);
    }
  }

  const Lattice& lattice_;
  std::uint64_t nodes_;
  std::vector<std::uint32_t> parts_;
  std::vector<Split> found_;
};

// Writes the workers of all nodes with fixed coordinates in the dimensions before `dimension`. `box` is the number of
// their box in those dimensions.
void assign(const Lattice& lattice, const std::vector<std::uint32_t>& parts, std::size_t dimension, std::uint32_t box,
            std::uint32_t*& next) {
  if (dimension == parts.size()) {
    *next++ = box;
    return;
  }
  const std::uint64_t extent = lattice.extents[dimension];
  const bool last = dimension + 1 == parts.size();
  for (std::uint64_t part = 0; part < parts[dimension]; ++part) {
    const std::uint64_t length = extent * (part + 1) / parts[dimension] - extent * part / parts[dimension];
    const std::uint32_t inner = box * parts[dimension] + static_cast<std::uint32_t>(part);
    if (last) {
      next = std::fill_n(next, length, inner);
      continue;
    }
    for (std::uint64_t i = 0; i < length; ++i) assign(lattice, parts, dimension + 1, inner, next);
  }
}

}  // namespace

Partition blocks(const Topology& topology, std::uint32_t workers) {
  detail::check_workers("blocks", topology.nodes(), workers);
  const Lattice& lattice = topology.lattice();
  if (lattice.extents.empty()) {
    throw UsageError("blocks: the topology is neither a torus nor a grid; use contiguous or metis");
  }
  const std::vector<std::uint32_t> parts = SplitSearch(lattice, topology.nodes(), workers).best();
  if (parts.empty()) return contiguous(topology, workers);
  std::vector<std::uint32_t> worker_of(topology.nodes());
  std::uint32_t* next = worker_of.data();
  assign(lattice, parts, 0, 0, next);
  return {workers, std::move(worker_of)};
}

}  // namespace laxity::partitions
