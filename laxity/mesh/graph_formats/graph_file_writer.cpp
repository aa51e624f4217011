// Graphs as text.
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "laxity/error.hpp"
#include "laxity/mesh/graph_formats/graph_file.hpp"

namespace laxity {
namespace {

void append(std::string& text, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end);
}

// Whether a list contains this edge: an undirected list has each connection once, at its lower end.
bool listed(const Topology& topology, std::uint32_t node, std::uint32_t neighbor) {
  return !topology.is_symmetric() || node <= neighbor;
}

std::string adjacency_list(const Topology& topology) {
  std::string text;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    append(text, node);
    for (const std::uint32_t neighbor : topology.outputs(node)) {
      if (!listed(topology, node, neighbor)) continue;
      text += ' ';
      append(text, neighbor);
    }
    text += '\n';
  }
  return text;
}

std::string edge_list(const Topology& topology) {
  std::string text;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    const auto neighbors = topology.outputs(node);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      if (!listed(topology, node, neighbors[i])) continue;
      append(text, node);
      text += ' ';
      append(text, neighbors[i]);
      if (topology.has_edge_weights()) {
        text += ' ';
        append(text, topology.output_weights(node)[i]);
      }
      text += '\n';
    }
  }
  return text;
}

std::string metis(const Topology& topology) {
  if (!topology.is_symmetric()) {
    throw UsageError("METIS graphs are undirected, this one has one-way edges; write an edge list or Matrix Market");
  }
  std::string text;
  append(text, topology.nodes());
  text += ' ';
  append(text, topology.edges() / 2);
  if (topology.weights_per_node() > 0 || topology.has_edge_weights()) {
    text += topology.weights_per_node() > 0 ? " 01" : " 00";
    text += topology.has_edge_weights() ? '1' : '0';
  }
  if (topology.weights_per_node() > 0) {
    text += ' ';
    append(text, topology.weights_per_node());
  }
  text += '\n';
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    const std::size_t begin = text.size();
    const auto separate = [&] {
      if (text.size() > begin) text += ' ';
    };
    for (std::uint32_t i = 0; i < topology.weights_per_node(); ++i) {
      separate();
      append(text, topology.node_weights()[std::size_t{node} * topology.weights_per_node() + i]);
    }
    const auto neighbors = topology.outputs(node);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      if (neighbors[i] == node) throw UsageError("METIS graphs have no self-loops; write an edge list");
      separate();
      append(text, std::uint64_t{neighbors[i]} + 1);
      if (!topology.has_edge_weights()) continue;
      text += ' ';
      append(text, topology.output_weights(node)[i]);
    }
    text += '\n';
  }
  return text;
}

std::string matrix_market(const Topology& topology) {
  std::string entries;
  std::uint64_t count = 0;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (const std::uint32_t neighbor : topology.outputs(node)) {
      // The lower triangle, if symmetric; no diagonal.
      if (neighbor == node || (topology.is_symmetric() && neighbor > node)) continue;
      append(entries, std::uint64_t{node} + 1);
      entries += ' ';
      append(entries, std::uint64_t{neighbor} + 1);
      entries += '\n';
      ++count;
    }
  }
  std::string text = "%%MatrixMarket matrix coordinate pattern ";
  text += topology.is_symmetric() ? "symmetric\n" : "general\n";
  for (const std::uint64_t number : {std::uint64_t{topology.nodes()}, std::uint64_t{topology.nodes()}, count}) {
    append(text, number);
    text += ' ';
  }
  text.back() = '\n';
  return text + entries;
}

}  // namespace

std::string format_graph(const Topology& topology, GraphFormat format) {
  switch (format) {
    case GraphFormat::adjacency_list:
      return adjacency_list(topology);
    case GraphFormat::edge_list:
      return edge_list(topology);
    case GraphFormat::metis:
      return metis(topology);
    case GraphFormat::matrix_market:
      return matrix_market(topology);
  }
  throw UsageError("no such graph format");
}

void write_graph_file(const Topology& topology, const std::string& path, const GraphFileOptions& options) {
  const std::string text = format_graph(topology, options.format ? *options.format : graph_format_of_extension(path));
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw SystemError("open(" + path + ")", errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int write_error = errno;
  if (std::fclose(file) != 0 || !written) {
    throw SystemError("write(" + path + ", " + std::to_string(text.size()) + " bytes)", written ? errno : write_error);
  }
}

}  // namespace laxity
