// Graphs from files, in the four formats graphs usually come in.
//
//   format          extensions            edges                                  node ids
//   adjacency_list  .adjlist .adj         as GraphFileOptions says               from labels, see below
//   edge_list       .edgelist .edges .el  as GraphFileOptions says               from labels, see below
//   metis           .graph .metis         two-way                                node 1 of the file is id 0
//   matrix_market   .mtx                  general: row to column; else two-way   row 1 of the file is id 0
//
// Labels (NetworkX): if all are whole numbers below 2^32 - 1, ids run in the order of the numbers: 0 .. n-1 stay what
// they are, gaps are closed. Otherwise labels are names, and ids run in the order of first appearance.
//
// Lists: '#' begins a comment; words are separated by blanks. In an edge list a number may follow the edge, its weight
// (rounded, at least 1), or a Python dictionary, which is skipped.
//
// METIS: all forms of the header (sizes, node weights with several constraints, edge weights); '%' begins a comment
// line. Sizes are skipped. Self-loops, repeated edges and edges without their opposite are errors, as in METIS.
//
// Matrix Market: square, coordinate format, any field and symmetry. Values are skipped. So is the diagonal: it says
// nothing about neighbors.
//
// Errors: ParseError names line, column and what was expected; SystemError, a file that cannot be read; UsageError, an
// unknown extension. Any bytes give a graph or an error. The time is linear in the file's size, with three exceptions:
// labels that are sparse numbers are sorted (n log n), names are hashed (linear on average), and the edge weights of
// METIS are compared with those of the opposite edges (a search in a row each). A header is believed only as far as the
// file's size bears it out: memory is at most about 30 bytes per byte of the file, plus 32 MB since a Matrix Market
// header may promise 2^20 nodes more than the file has bytes.
//
// Threads: pure functions.
// Elsewhere: partitions from files (partition.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "laxity/mesh/topology.hpp"

namespace laxity {

enum class GraphFormat { adjacency_list, edge_list, metis, matrix_market };

struct GraphFileOptions {
  /// Nothing: by the file's extension.
  std::optional<GraphFormat> format;
  /// Adjacency and edge lists do not say it: true: "a b" is an edge from a to b; false: edges in both directions, which
  /// is how NetworkX reads them unless told otherwise.
  bool directed = false;
};

/// The format an extension stands for. Throws UsageError that lists the known ones.
[[nodiscard]] GraphFormat graph_format_of_extension(const std::string& path);

/// The format called "adjacency_list", "edge_list", "metis" or "matrix_market". Throws UsageError that lists the names.
[[nodiscard]] GraphFormat graph_format_named(std::string_view name);

/// The graph in a file.
[[nodiscard]] Topology read_graph_file(const std::string& path, const GraphFileOptions& options = {});

/// The graph in a text; `name` stands in errors where a file name would.
[[nodiscard]] Topology parse_graph(std::string_view text, const std::string& name, GraphFormat format,
                                   bool directed = false);

/// The graph as text, weights included where the format has a place for them. Symmetric graphs list each connection
/// once where the format allows it (lists: read them back undirected). A list has no place for a node without edges,
/// except an adjacency list. Throws UsageError for METIS if the graph is not symmetric or has self-loops.
[[nodiscard]] std::string format_graph(const Topology& topology, GraphFormat format);

/// Writes format_graph() to a file. Throws SystemError.
void write_graph_file(const Topology& topology, const std::string& path, const GraphFileOptions& options = {});

}  // namespace laxity
