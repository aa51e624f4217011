// expect: outputs
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/state_layer.hpp"

// A State layer sends one value to all neighbors: there is no output to put something else into.
void misuse(laxity::Part<laxity::State<int>>& part) {
  for (auto node : part.nodes()) node.outputs()[0].try_put(1);
}
