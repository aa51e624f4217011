// Independent streams of random numbers from one seed, by a counter-based generator.
//
// A counter-based generator computes each block of numbers from its place alone: key = seed, counter = (block, stream,
// process). Streams of different processes, of different numbers or of different seeds have no block in common, however
// many there are and however much they draw: up to 2^64 numbers each.
//
// Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011), Philox4x32 with 10
// rounds, which passes BigCrush. Threads: one stream, one thread. Elsewhere: distributions (distributions.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "laxity/random.hpp"

namespace laxity {

/// The Philox4x32-10 bijection of a counter under a key.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53U} * counter[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57U} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9e3779b9U;
    key[1] += 0xbb67ae85U;
  }
  return counter;
}

/// Trivially copyable: a copy continues from the same place, so that a state that contains streams can be restored.
class RandomStream : public UniformNumbers<RandomStream> {
 public:
  RandomStream() noexcept = default;
  explicit RandomStream(std::uint64_t seed, std::uint32_t process = 0, std::uint32_t stream = 0) noexcept
      : seed_(seed), process_(process), stream_(stream) {}

  // A block has 128 bits, for two numbers; the second one waits for the next call.
  [[nodiscard]] std::uint64_t bits() noexcept {
    if ((position_++ & 1) != 0) return waiting_;
    const std::uint64_t block = position_ >> 1;
    const auto drawn = philox({low(block), high(block), stream_, process_}, {low(seed_), high(seed_)});
    waiting_ = (std::uint64_t{drawn[3]} << 32) | drawn[2];
    return (std::uint64_t{drawn[1]} << 32) | drawn[0];
  }

 private:
  [[nodiscard]] static std::uint32_t low(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
  [[nodiscard]] static std::uint32_t high(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
  }

  std::uint64_t seed_ = 0;
  std::uint32_t process_ = 0;
  std::uint32_t stream_ = 0;
  std::uint64_t position_ = 0;  // in numbers of 64 bits
  std::uint64_t waiting_ = 0;   // the second number of the block, if position_ is odd
};

}  // namespace laxity
