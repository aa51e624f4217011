// A slot for the latest value: each frame supersedes the one before it, the reader gets the newest. Wait-free.
//
// It is the overwriting ring of depth 1, which is a triple buffer: one frame written, one waiting, one shown.
// Elsewhere: the algorithm, its invariants and its threads (overwriting_ring.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/transport/atomics_policy.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/ring_shape.hpp"

namespace laxity {

template <class Atomics = StdAtomics>
class BasicLatestSlot {
 public:
  static constexpr bool lossless = false;
  using Sender = typename BasicOverwritingRing<Atomics>::Sender;
  using Receiver = typename BasicOverwritingRing<Atomics>::Receiver;

  /// Size of the 64-byte aligned memory for frames of this capacity, bytes; the depth of the shape is ignored, it is 1.
  [[nodiscard]] static std::size_t bytes_needed(RingShape shape) {
    return BasicOverwritingRing<Atomics>::bytes_needed({1, shape.frame_capacity});
  }
  /// Like BasicOverwritingRing::initialize, with depth 1.
  static void initialize(std::byte* memory, RingShape shape, std::uint64_t first_sequence = 1) {
    BasicOverwritingRing<Atomics>::initialize(memory, {1, shape.frame_capacity}, first_sequence);
  }
  /// Like BasicOverwritingRing::require_shape, with depth 1.
  static void require_shape(const std::byte* memory, RingShape shape, const std::string& ring) {
    BasicOverwritingRing<Atomics>::require_shape(memory, {1, shape.frame_capacity}, ring);
  }
};

using LatestSlot = BasicLatestSlot<>;

}  // namespace laxity
