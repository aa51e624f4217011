// What the first thread of a rank does for all workers of the rank, because it alone may call MPI: between its updates
// and while it waits it exchanges the status of the host and relays frames.
//
// Threads: the thread that joined MPI.
// Elsewhere: the status (status_carrier.hpp), relayed links (laxity/transport/remote_links.hpp).
#pragma once

#include "laxity/launch/barrier.hpp"
#include "laxity/launch/detail/status_carrier.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity::detail {

class RankProgress final : public WaitHook {
 public:
  /// Null: nothing to exchange, or to relay.
  RankProgress(StatusCarrier* status_carrier, RemoteLinks* relayed)
      : status_carrier_(status_carrier), relayed_(relayed) {}

  void poll() noexcept override {
    if (status_carrier_ != nullptr) status_carrier_->poll();
    if (relayed_ != nullptr) relayed_->relay();
  }
  void after_update() noexcept {
    if (status_carrier_ != nullptr && status_carrier_->poll_requested()) status_carrier_->poll();
    if (relayed_ != nullptr) relayed_->relay();
  }

 private:
  StatusCarrier* status_carrier_;
  RemoteLinks* relayed_;
};

}  // namespace laxity::detail
