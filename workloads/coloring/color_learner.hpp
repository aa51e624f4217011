// Communication-free learning of a graph coloring: the learning rule of a node.
//
// Source: Leith, Clifford, Badarla, Malone, WLAN channel selection without communication, Computer Networks 56 (2012); as used
//   by Moreno et al., Best-effort communication improves performance and scales robustly on conventional hardware, II-B.
// A node without conflict keeps its color and sets its probability to 1 and all others to 0. Nothing is written for such a
// node: nodes with a conflict store the number of the update, and all others are sure of their color. So only conflicts cost
// time. After a conflict p[own] <- (1-b) p[own], p[other] <- (1-b) p[other] + b/(c-1), and the next color is drawn from p.
// Threads: a learner belongs to one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "laxity/mesh/migration/archive.hpp"
#include "laxity/random.hpp"

namespace laxity {

using NodeColor = std::uint8_t;

struct ColoringOptions {
  std::uint32_t colors = 3;                ///< 2 .. 250
  float learning_rate = 0.1F;              ///< b
  std::uint64_t seed = 1;                  ///< seeds the generator of each worker, with its number
  std::uint64_t work = 0;                  ///< added work per update, draws of std::mt19937
  std::int64_t jitter_ns = 0;              ///< mean of an exponentially distributed delay of each update
  std::function<void()> while_updating{};  ///< if set, called in each update between computing and sending
};

/// The probabilities of all nodes of a worker.
class ColorLearner {
 public:
  ColorLearner(std::uint32_t nodes, const ColoringOptions& options, std::uint32_t worker)
      : colors_(options.colors),
        rate_(options.learning_rate),
        probabilities_(std::size_t{nodes} * options.colors, 1.0F / static_cast<float>(options.colors)),
        unsure_at_(nodes, 0),
        random_(SeededRandom(options.seed).bits() + worker) {}

  /// A uniformly random first color.
  [[nodiscard]] NodeColor initial() noexcept { return static_cast<NodeColor>(random_.below(colors_)); }

  /// Learns from a conflict of node i, whose color is `own`, and draws its next color.
  [[nodiscard, gnu::noinline]] NodeColor redraw(std::uint32_t i,
                                                NodeColor own) noexcept {  // keeps the loop over nodes small
    return colors_ == 3 ? redraw_among<3>(i, own, 3) : redraw_among<0>(i, own, colors_);
  }

  /// Ends an update: nodes that did not redraw in it are sure of their color.
  void end_update() noexcept { ++update_; }

  /// All learned state, for a part that migrates to another worker.
  void serialize(Archive& archive) noexcept {
    archive.values(std::span(probabilities_));
    archive.values(std::span(unsure_at_));
    archive.value(update_);
    archive.value(random_);
  }

  /// Probability of `color` at node i between updates.
  [[nodiscard]] float probability(std::uint32_t i, NodeColor own, NodeColor color) const noexcept {
    if (unsure_at_[i] != update_) return color == own ? 1.0F : 0.0F;
    return probabilities_[std::size_t{i} * colors_ + color];
  }

 private:
  // With Fixed != 0 the compiler knows the number of colors.
  template <std::uint32_t Fixed>
  NodeColor redraw_among(std::uint32_t i, NodeColor own, std::uint32_t run_time_colors) noexcept {
    const std::uint32_t colors = Fixed != 0 ? Fixed : run_time_colors;
    float* p = probabilities_.data() + std::size_t{i} * colors;
    const bool unsure = unsure_at_[i] == update_;
    unsure_at_[i] = update_ + 1;
    const float gain = rate_ / static_cast<float>(colors - 1);
    for (std::uint32_t color = 0; color < colors; ++color) {
      const float before = unsure ? p[color] : (color == own ? 1.0F : 0.0F);
      p[color] = (1.0F - rate_) * before + (color == own ? 0.0F : gain);
    }
    // The remainder of a uniform draw falls below 0 at the drawn color and stays below.
    auto left = static_cast<float>(random_.unit());
    std::uint32_t drawn = 0;
    for (std::uint32_t color = 0; color + 1 < colors; ++color) {
      left -= p[color];
      drawn += left >= 0.0F ? 1 : 0;
    }
    return static_cast<NodeColor>(drawn);
  }

  std::uint32_t colors_;
  float rate_;
  std::vector<float> probabilities_;      // [node][color]
  std::vector<std::uint32_t> unsure_at_;  // the update in which probabilities_ apply; in others the node is sure
  std::uint32_t update_ = 0;
  SeededRandom random_;
};

}  // namespace laxity
