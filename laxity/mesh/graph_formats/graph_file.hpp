// Graphs from and to files, in four common formats.
//
//   format          extensions            edges                                  node ids
//   adjacency_list  .adjlist .adj         GraphFileOptions::directed             from labels, see below
//   edge_list       .edgelist .edges .el  GraphFileOptions::directed             from labels, see below
//   metis           .graph .metis         undirected                             node 1 of the file is id 0
//   matrix_market   .mtx                  general: row to column; others undirected   row 1 of the file is id 0
//
// Labels (NetworkX): if all are whole numbers below 2^32 - 1, ids follow the order of the numbers, with gaps closed, so
// 0 .. n-1 keep their values. Otherwise labels are names, and ids follow the order of first appearance.
//
// Lists: '#' starts a comment; words are separated by blanks. In an edge list an edge may be followed by its weight, a
// number (rounded, at least 1), or by a Python dictionary, which is ignored.
//
// METIS: all forms of the header (sizes, node weights with several constraints, edge weights); '%' starts a comment
// line. Sizes are ignored. Self-loops, repeated edges and edges without their opposite are errors, as in METIS.
//
// Matrix Market: square, coordinate format, any field and symmetry. Values and the diagonal are ignored.
//
// Errors: ParseError names line, column and what was expected; SystemError, a file that cannot be read; UsageError, an
// unknown extension. Any bytes give a graph or an error. The time is linear in the file's size, with three exceptions:
// labels that are sparse numbers are sorted (n log n), names are hashed (linear on average), and the edge weights of
// METIS are compared with those of the opposite edges (a search in one row each). A header that promises more than the
// size of the file allows is an error: memory is at most about 30 bytes per byte of the file, plus 32 MB because a
// Matrix Market header may promise 2^20 nodes more than the file has bytes.
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
  /// Unset: derived from the extension of the file.
  std::optional<GraphFormat> format;
  /// For adjacency and edge lists, which do not state it. True: "a b" is an edge from a to b; false: edges in both
  /// directions, the default of NetworkX.
  bool directed = false;
};

/// The format of an extension. Throws UsageError that lists the known ones.
[[nodiscard]] GraphFormat graph_format_of_extension(const std::string& path);

/// The format called "adjacency_list", "edge_list", "metis" or "matrix_market". Throws UsageError that lists the names.
[[nodiscard]] GraphFormat graph_format_named(std::string_view name);

/// The graph in a file.
[[nodiscard]] Topology read_graph_file(const std::string& path, const GraphFileOptions& options = {});

/// The graph in a text; errors use `name` as the file name.
[[nodiscard]] Topology parse_graph(std::string_view text, const std::string& name, GraphFormat format,
                                   bool directed = false);

/// The graph as text, with weights where the format has them. Symmetric graphs list each connection once where the
/// format allows it (lists must be read back undirected). Edge lists omit nodes without edges. Throws UsageError for
/// METIS if the graph is not symmetric or has self-loops.
[[nodiscard]] std::string format_graph(const Topology& topology, GraphFormat format);

/// Writes format_graph() to a file. Throws SystemError.
void write_graph_file(const Topology& topology, const std::string& path, const GraphFileOptions& options = {});

}  // namespace laxity
