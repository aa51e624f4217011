// Reactions: how a worker adapts its links to a neighbor that cannot keep up.
//
//   LayerOptions options{.send_depth = 64, .reactions = {reaction_named("cadence")}};
//   ...
//   part.react(worker.quality());      // once per update
//
// A link without reactions has no overhead. A link whose limit may be tuned is an overwriting ring from the start
// (transport/limited_sender.hpp), at both ends, so every worker must give a layer the same reactions.
// Invariants: a reaction decides from what its worker observes and communicates with nobody, so it cannot block. It is
//   called once per window for each link to another worker.
// Threads: a reaction is stateless and may be shared; the LinkTuning belongs to the worker.
// Elsewhere: the observed quality (metrics/quality_meter.hpp), the parameters (link_tuning.hpp), the reasons
//   (docs/decisions/0013-reactions-tune-links.md).
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

  /// Tunes one link after a window in which its quality was `seen` and that of the worker `own`.
  virtual void react(const WorkerQuality& own, const LinkQuality& seen, LinkTuning& tuning) const noexcept = 0;

  /// Whether it tunes LinkTuning::limit. Links between hosts keep their limit.
  [[nodiscard]] virtual bool tunes_limit() const noexcept { return false; }

  /// A neighbor with a higher delivery failure rate cannot keep up; below, refusals are accidental.
  static constexpr double backlog = 0.05;
};

inline constexpr std::array<std::string_view, 3> reaction_names{"cadence", "depth", "latest"};

/// The reaction of that name with its usual settings. Throws UsageError that lists the names.
[[nodiscard]] std::shared_ptr<const Reaction> reaction_named(std::string_view name);

}  // namespace laxity
