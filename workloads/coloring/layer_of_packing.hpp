// The layer that carries colors with a given packing.
//
// Elsewhere: the packings (coloring_run.hpp), the layers (laxity/mesh/layers/).
#pragma once

#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity {

/// Calls visit.template operator()<Layer>() with the layer of the packing and returns what it returns.
template <class Visit>
decltype(auto) with_layer_of(ColorPacking packing, Visit&& visit) {
  switch (packing) {
    case ColorPacking::pooled:
      return visit.template operator()<PooledLayer<NodeColor>>();
    case ColorPacking::aggregated:
      return visit.template operator()<AggregatedLayer<NodeColor>>();
    case ColorPacking::plain:
      return visit.template operator()<PlainLayer<NodeColor>>();
    case ColorPacking::state:
      break;
  }
  return visit.template operator()<StateLayer<NodeColor>>();
}

}  // namespace laxity
