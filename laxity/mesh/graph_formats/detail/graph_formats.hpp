// One reader per format; graph_file.cpp chooses. All throw ParseError through the scanner.
#pragma once

#include <string_view>

#include "laxity/mesh/topology.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::detail {

[[nodiscard]] Topology read_adjacency_list(const TextScanner& text, bool directed);
[[nodiscard]] Topology read_edge_list(const TextScanner& text, bool directed);
[[nodiscard]] Topology read_metis(TextScanner text);
[[nodiscard]] Topology read_matrix_market(TextScanner text);

}  // namespace laxity::detail
