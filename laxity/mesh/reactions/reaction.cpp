#include "laxity/mesh/reactions/reaction.hpp"

#include <string>

#include "laxity/error.hpp"
#include "laxity/mesh/reactions/cadence.hpp"
#include "laxity/mesh/reactions/depth.hpp"
#include "laxity/mesh/reactions/latest.hpp"

namespace laxity {

std::shared_ptr<const Reaction> reaction_named(std::string_view name) {
  if (name == "cadence") return std::make_shared<AdaptCadence>();
  if (name == "depth") return std::make_shared<AdaptDepth>();
  if (name == "latest") return std::make_shared<LatestUnderBacklog>();
  throw UsageError("reaction " + std::string(name) + ": must be cadence, depth or latest");
}

}  // namespace laxity
