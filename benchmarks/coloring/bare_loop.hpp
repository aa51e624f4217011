// Graph coloring in a hand-written loop for one thread: arrays, a neighbor table, no library.
//
// The baseline of the mesh. It applies the same rule with the same draws, so the colors are equal bit by bit
// (tests/unit/workloads).
#pragma once

#include <cstdint>
#include <vector>

struct BareLoop {
  /// 4-neighbor torus of `rows` x `columns` nodes, 3 colors, b = 0.1. `seed` is the state of the generator.
  BareLoop(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed);
  void update();

  std::vector<std::uint8_t> color;

 private:
  std::uint64_t draw();

  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> neighbors_;  // 4 per node
  std::vector<float> p_;                  // 3 per node
  std::vector<std::uint32_t> unsure_at_;  // update before which the node had a conflict; sure of its color in others
  std::uint32_t update_ = 0;
  std::uint64_t state_;
};
