// Impairs chosen links of a worker: a connector that wraps another one.
//
// To see in real time what a program tolerates; replayed runs impair all links in virtual time (replay.hpp).
// Invariants: links that are not chosen are those of the inner connector. Both ends of a link must be wrapped alike.
// Threads: as the inner connector. Elsewhere: the faults (laxity/transport/impaired.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "laxity/mesh/connector.hpp"
#include "laxity/transport/impaired.hpp"

namespace laxity {

class ImpairedConnector final : public ConnectorDecorator {
 public:
  using Chooses = std::function<bool(const LinkKey&)>;

  /// The faults of a link are drawn from `seed` and its key. `inner` must outlive the connector.
  ImpairedConnector(Connector& inner, const Faults& faults, std::uint64_t seed, Chooses is_impaired)
      : ConnectorDecorator(inner), faults_(faults), seed_(seed), is_impaired_(std::move(is_impaired)) {}

  /// Throws UsageError for an invalid fault.
  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;

 private:
  Faults faults_;
  std::uint64_t seed_;
  Chooses is_impaired_;
};

}  // namespace laxity
