// What a worker does about a neighbor that cannot keep up: the one interface of all reactions.
//
//   LayerOptions options{.send_depth = 64, .reactions = {reaction_named("cadence")}};
//   ...
//   part.react(worker.quality());      // once an update
//
// A link without reactions is what it was: nothing is added to its path. With them a link that is turned from queue to
// newest value is an overwriting ring from the start (transport/limited_sender.hpp), at both ends, so every worker must
// give a layer the same reactions.
// Invariants: a reaction decides from what this worker sees alone, and says nothing to others; so none can wait for
//   another. It is asked once a window for each link to another worker.
// Threads: a reaction has no state of its own and may be shared; what it turns belongs to the worker.
// Elsewhere: what is seen (metrics/quality_meter.hpp), what can be turned (link_tuning.hpp), why it is made like this
//   (docs/decisions/0013-reactions-turn-links.md).
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "laxity/mesh/reactions/link_tuning.hpp"
#include "laxity/metrics/quality_meter.hpp"

namespace laxity {

class Reaction {
 public:
  virtual ~Reaction() = default;

  /// Turns one link, after a window in which its quality was `seen`.
  virtual void react(const WorkerQuality& own, const LinkQuality& seen, LinkTuning& tuning) const noexcept = 0;

  /// Whether it turns LinkTuning::limit. Between nodes there is nothing to be turned: such links keep their limit.
  [[nodiscard]] virtual bool adapts_limit() const noexcept { return false; }

  /// Above this share of refused puts a neighbor cannot keep up; below, a frame was refused by chance.
  static constexpr double backlog = 0.05;
};

inline constexpr std::array<std::string_view, 3> reaction_names{"cadence", "depth", "latest"};

/// The reaction of that name with its usual settings. Throws UsageError that lists the names.
[[nodiscard]] std::shared_ptr<const Reaction> reaction_named(std::string_view name);

}  // namespace laxity
