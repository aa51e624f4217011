// expect: a payload must not hold addresses
#include <vector>

#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/mesh.hpp"

using Impossible = laxity::Mesh<laxity::AggregatedLayer<std::vector<int*>>>;
Impossible* impossible = nullptr;
