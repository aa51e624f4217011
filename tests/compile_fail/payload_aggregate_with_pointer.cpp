// expect: a payload must not hold addresses
#include <array>

#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"

struct Inner {
  double mass;
  const char* name;
};
struct Outer {
  int number[3];
  std::array<Inner, 2> inner;
};

using Impossible = laxity::Mesh<laxity::StateLayer<Outer>>;
Impossible* impossible = nullptr;
