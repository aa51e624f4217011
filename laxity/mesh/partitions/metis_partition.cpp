// Partitions by METIS. METIS requires each edge at both ends with equal weights, and otherwise crashes or silently
// returns poor partitions; so directed graphs are made symmetric first.
#include "laxity/error.hpp"
#include "laxity/mesh/partitions/detail/check_workers.hpp"
#include "laxity/mesh/partitions/partition.hpp"

#ifdef LAXITY_HAS_METIS
#include <metis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#endif

namespace laxity::partitions {

#ifdef LAXITY_HAS_METIS
namespace {

// A graph in the format of METIS. Empty weights are equal weights.
struct CutGraph {
  [[nodiscard]] std::size_t nodes() const { return offsets.size() - 1; }
  std::vector<idx_t> offsets;
  std::vector<idx_t> neighbors;
  std::vector<idx_t> edge_weights;
  std::vector<idx_t> node_weights;
  std::size_t weights_per_node = 1;
};

// METIS sums weights in idx_t, which has 32 bits in Debian.
void check_sum(const char* what, std::uint64_t sum) {
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max());
  if (sum <= limit) return;
  throw UsageError(std::string("metis: the ") + what + " add up to " + std::to_string(sum) + ", this METIS counts to " +
                   std::to_string(limit) + "; scale them down or use another partition");
}

// The rows of the symmetric graph: the outputs of a node, then its one-way inputs. Self-loops are kept.
void join_directions(const Topology& topology, CutGraph& graph) {
  graph.offsets.assign(1, 0);
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    const auto outputs = topology.outputs(node);
    const auto heard_only = topology.inputs(node).subspan(topology.reciprocal_degree(node));
    graph.neighbors.insert(graph.neighbors.end(), outputs.begin(), outputs.end());
    graph.neighbors.insert(graph.neighbors.end(), heard_only.begin(), heard_only.end());
    graph.offsets.push_back(static_cast<idx_t>(graph.neighbors.size()));
  }
}

// Adds the weight of each edge to the entries at both its ends.
void join_weights(const Topology& topology, CutGraph& graph) {
  graph.edge_weights.assign(graph.neighbors.size(), 0);
  std::uint64_t sum = 0;
  for (std::uint32_t source = 0; source < topology.nodes(); ++source) {
    const auto targets = topology.outputs(source);
    const auto weights = topology.output_weights(source);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::uint32_t target = targets[i];
      const std::uint32_t weight = weights.empty() ? 1 : weights[i];
      check_sum("edge weights", sum += 2 * std::uint64_t{weight});
      const std::optional<std::uint32_t> found = topology.input_index(target, source);
      LAXITY_CHECK(found.has_value());  // every output is an input of its target
      const std::uint32_t index = *found;
      const std::uint32_t reciprocal = topology.reciprocal_degree(target);
      // Reciprocal neighbors have the same index in both lists; one-way inputs follow all outputs.
      const std::size_t place = index < reciprocal ? index : topology.outputs(target).size() + (index - reciprocal);
      graph.edge_weights[static_cast<std::size_t>(graph.offsets[source]) + i] += static_cast<idx_t>(weight);
      graph.edge_weights[static_cast<std::size_t>(graph.offsets[target]) + place] += static_cast<idx_t>(weight);
    }
  }
}

// The subgraph of the listed nodes, renumbered in this order, without self-loops.
CutGraph induced(const CutGraph& whole, const std::vector<std::uint32_t>& kept) {
  constexpr idx_t dropped = -1;
  std::vector<idx_t> new_number(whole.nodes(), dropped);
  for (std::size_t i = 0; i < kept.size(); ++i) new_number[kept[i]] = static_cast<idx_t>(i);
  CutGraph part;
  part.offsets.assign(1, 0);
  part.weights_per_node = whole.weights_per_node;
  for (const std::uint32_t node : kept) {
    const auto end = static_cast<std::size_t>(whole.offsets[node + 1]);
    for (auto i = static_cast<std::size_t>(whole.offsets[node]); i < end; ++i) {
      const auto neighbor = static_cast<std::size_t>(whole.neighbors[i]);
      if (neighbor == node || new_number[neighbor] == dropped) continue;
      part.neighbors.push_back(new_number[neighbor]);
      if (!whole.edge_weights.empty()) part.edge_weights.push_back(whole.edge_weights[i]);
    }
    part.offsets.push_back(static_cast<idx_t>(part.neighbors.size()));
    if (whole.node_weights.empty()) continue;
    const auto weights = whole.node_weights.begin() + static_cast<std::ptrdiff_t>(node * whole.weights_per_node);
    part.node_weights.insert(part.node_weights.end(), weights,
                             weights + static_cast<std::ptrdiff_t>(whole.weights_per_node));
  }
  return part;
}

CutGraph cut_graph(const Topology& topology) {
  check_sum("edges", 2 * topology.edges());
  CutGraph graph;
  join_directions(topology, graph);
  if (!topology.is_symmetric() || topology.has_edge_weights()) join_weights(topology, graph);
  const auto weights = topology.node_weights();
  if (!weights.empty()) {
    check_sum("node weights", std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
    graph.node_weights.assign(weights.begin(), weights.end());
    graph.weights_per_node = topology.weights_per_node();
  }
  std::vector<std::uint32_t> all(topology.nodes());
  std::iota(all.begin(), all.end(), 0U);
  return induced(graph, all);
}

// The part 0 .. parts-1 of each node. METIS fails for one part, for more parts than nodes, and for graphs without
// edges.
std::vector<idx_t> cut(CutGraph& graph, std::uint32_t parts, std::uint64_t seed) {
  std::vector<idx_t> part_of(graph.nodes());
  if (parts == 1 || graph.nodes() == 0) return part_of;
  if (parts >= graph.nodes() || graph.neighbors.empty()) {
    for (std::size_t i = 0; i < part_of.size(); ++i) part_of[i] = static_cast<idx_t>(i % parts);
    return part_of;
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7fffffffU);
  options[METIS_OPTION_NUMBERING] = 0;
  auto nodes = static_cast<idx_t>(graph.nodes());
  auto constraints = static_cast<idx_t>(graph.weights_per_node);
  auto count = static_cast<idx_t>(parts);
  idx_t cut_weight = 0;
  const int status = METIS_PartGraphKway(&nodes, &constraints, graph.offsets.data(), graph.neighbors.data(),
                                         graph.node_weights.empty() ? nullptr : graph.node_weights.data(), nullptr,
                                         graph.edge_weights.empty() ? nullptr : graph.edge_weights.data(), &count,
                                         nullptr, nullptr, options, &cut_weight, part_of.data());
  if (status != METIS_OK) {
    throw Error("METIS_PartGraphKway(" + std::to_string(nodes) + " nodes, " + std::to_string(parts) +
                " parts) failed with status " + std::to_string(status) +
                (status == METIS_ERROR_MEMORY ? ": no memory" : "") + "; use another partition");
  }
  return part_of;
}

// METIS may leave small parts empty. Each empty part gets the last node of the largest part.
Partition without_idle_workers(std::uint32_t workers, std::vector<std::uint32_t> worker_of) {
  std::vector<std::vector<std::uint32_t>> nodes_of(workers);
  for (std::uint32_t node = 0; node < worker_of.size(); ++node) nodes_of[worker_of[node]].push_back(node);
  for (std::uint32_t idle = 0; idle < workers; ++idle) {
    if (!nodes_of[idle].empty()) continue;
    auto& largest = *std::max_element(nodes_of.begin(), nodes_of.end(),
                                      [](const auto& a, const auto& b) { return a.size() < b.size(); });
    worker_of[largest.back()] = idle;
    nodes_of[idle].push_back(largest.back());
    largest.pop_back();
  }
  return {workers, std::move(worker_of)};
}

}  // namespace

bool has_metis() noexcept { return true; }

Partition metis_two_levels(const Topology& topology, std::uint32_t processes, std::uint32_t threads,
                           std::uint64_t seed) {
  const std::uint64_t workers = std::uint64_t{processes} * threads;
  constexpr std::uint64_t max_workers = std::numeric_limits<std::uint32_t>::max();
  detail::check_workers("metis", topology.nodes(), static_cast<std::uint32_t>(std::min(workers, max_workers)));
  CutGraph graph = cut_graph(topology);
  const std::vector<idx_t> process_of = cut(graph, processes, seed);
  std::vector<std::vector<std::uint32_t>> nodes_of(processes);
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    nodes_of[static_cast<std::size_t>(process_of[node])].push_back(node);
  }
  std::vector<std::uint32_t> worker_of(topology.nodes());
  for (std::uint32_t process = 0; process < processes; ++process) {
    const std::vector<std::uint32_t>& nodes = nodes_of[process];
    if (threads == 1) {
      for (const std::uint32_t node : nodes) worker_of[node] = process;
      continue;
    }
    CutGraph part = induced(graph, nodes);
    const std::vector<idx_t> thread_of = cut(part, threads, seed);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      worker_of[nodes[i]] = process * threads + static_cast<std::uint32_t>(thread_of[i]);
    }
  }
  return without_idle_workers(static_cast<std::uint32_t>(workers), std::move(worker_of));
}

#else

bool has_metis() noexcept { return false; }

Partition metis_two_levels(const Topology& topology, std::uint32_t processes, std::uint32_t threads, std::uint64_t) {
  detail::check_workers("metis", topology.nodes(), processes * threads);
  throw UsageError(
      "metis: this build has no METIS; install it (Debian: apt-get install libmetis-dev) and configure again, "
      "or use another partition");
}

#endif

Partition metis(const Topology& topology, std::uint32_t workers, std::uint64_t seed) {
  return metis_two_levels(topology, workers, 1, seed);
}

}  // namespace laxity::partitions
