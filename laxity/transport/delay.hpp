// Transports that delay frames: a frame that was published may be invisible to the receiver for some time, as over a
// network. All others show a frame as soon as publish() returns.
//
// An end that delays says so with a member `bool delays() const noexcept`.
// Threads: any. Elsewhere: who asks (channel/inlet.hpp and outlet.hpp, which switch transports).
#pragma once

#include "laxity/error.hpp"

namespace laxity {

template <class End>
[[nodiscard]] bool delays(const End& end) noexcept {
  if constexpr (requires { end.delays(); })
    return end.delays();
  else
    return false;
}

namespace detail {

/// Throws UsageError if a channel cannot leave the transport of this end without losing messages.
template <class End>
void require_no_delay(const End& end) {
  if (delays(end))
    throw UsageError(
        "a channel cannot switch from a transport that delays messages (between hosts, or impaired): those in flight "
        "would be lost; make a new channel instead, and receive from both until the old one is empty");
}

}  // namespace detail
}  // namespace laxity
