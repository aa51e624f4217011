// Rows of a topology as vectors, so that a failure prints them.
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/mesh/topology.hpp"

namespace laxity {

using Row = std::vector<std::uint32_t>;

inline Row inputs(const Topology& topology, std::uint32_t node) {
  const auto row = topology.inputs(node);
  return {row.begin(), row.end()};
}

inline Row outputs(const Topology& topology, std::uint32_t node) {
  const auto row = topology.outputs(node);
  return {row.begin(), row.end()};
}

inline Row weights(const Topology& topology, std::uint32_t node) {
  const auto row = topology.output_weights(node);
  return {row.begin(), row.end()};
}

}  // namespace laxity
