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
decltype(auto) with_layer_of(Packing packing, Visit&& visit) {
  switch (packing) {
    case Packing::pooled:
      return visit.template operator()<PooledLayer<Color>>();
    case Packing::aggregated:
      return visit.template operator()<AggregatedLayer<Color>>();
    case Packing::plain:
      return visit.template operator()<PlainLayer<Color>>();
    case Packing::state:
      break;
  }
  return visit.template operator()<StateLayer<Color>>();
}

}  // namespace laxity
