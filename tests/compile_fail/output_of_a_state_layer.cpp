// expect: outputs
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"

// A StateLayer sends one value to all neighbors: there is no output to put something else into.
void misuse(laxity::MeshPart<laxity::StateLayer<int>>& part) {
  for (auto node : part.nodes()) node.outputs()[0].try_put(1);
}
