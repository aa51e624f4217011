// Formats by name and extension, and the choice of the reader.
#include "laxity/mesh/graph_formats/graph_file.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/mesh/graph_formats/detail/graph_formats.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity {
namespace {

using Named = std::pair<std::string_view, GraphFormat>;

constexpr std::array<Named, 4> names{{{"adjacency_list", GraphFormat::adjacency_list},
                                      {"edge_list", GraphFormat::edge_list},
                                      {"metis", GraphFormat::metis},
                                      {"matrix_market", GraphFormat::matrix_market}}};

constexpr std::array<Named, 8> extensions{{{".adjlist", GraphFormat::adjacency_list},
                                           {".adj", GraphFormat::adjacency_list},
                                           {".edgelist", GraphFormat::edge_list},
                                           {".edges", GraphFormat::edge_list},
                                           {".el", GraphFormat::edge_list},
                                           {".graph", GraphFormat::metis},
                                           {".metis", GraphFormat::metis},
                                           {".mtx", GraphFormat::matrix_market}}};

template <std::size_t n>
std::string listed(const std::array<Named, n>& table) {
  std::string list;
  for (const auto& [name, format] : table) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace

GraphFormat graph_format_of_extension(const std::string& path) {
  for (const auto& [extension, format] : extensions) {
    if (path.ends_with(extension)) return format;
  }
  throw UsageError(path + ": unknown extension of a graph file; known are " + listed(extensions) +
                   "; rename the file or specify the format: " + listed(names));
}

GraphFormat graph_format_named(std::string_view wanted) {
  for (const auto& [name, format] : names) {
    if (name == wanted) return format;
  }
  throw UsageError("graph format " + detail::quoted(wanted) + " is unknown; known are " + listed(names));
}

Topology read_graph_file(const std::string& path, const GraphFileOptions& options) {
  const GraphFormat format = options.format ? *options.format : graph_format_of_extension(path);
  return parse_graph(detail::read_whole_file(path), path, format, options.directed);
}

Topology parse_graph(std::string_view text, const std::string& name, GraphFormat format, bool directed) {
  const detail::TextScanner scanner(name, text);
  switch (format) {
    case GraphFormat::adjacency_list:
      return detail::read_adjacency_list(scanner, directed);
    case GraphFormat::edge_list:
      return detail::read_edge_list(scanner, directed);
    case GraphFormat::metis:
      return detail::read_metis(scanner);
    case GraphFormat::matrix_market:
      return detail::read_matrix_market(scanner);
  }
  throw UsageError(name + ": no such graph format");
}

}  // namespace laxity
