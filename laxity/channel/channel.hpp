// Channels: an inlet and an outlet over one transport.
//
//   auto [inlet, outlet] = laxity::channel<int>({.send_depth = 4});   // both ends in this process
//   auto inlet = laxity::sink<int>(arena, key);                       // this worker sends, another has the outlet
//   auto outlet = laxity::source<int>(arena, key);                    // the other way round
//   laxity::Channel<int> mine = laxity::channel_over<int>(my_sender, my_receiver);   // a transport of your own
//
// Elsewhere: the ends (inlet.hpp, outlet.hpp), payloads (codec.hpp), many channels in one frame
//   (pooled_channels.hpp, aggregated_channels.hpp, accumulating_channels.hpp).
#pragma once

#include <cstddef>
#include <utility>

#include "laxity/channel/inlet.hpp"
#include "laxity/channel/outlet.hpp"
#include "laxity/channel/overflow.hpp"
#include "laxity/transport/link.hpp"
#include "laxity/transport/payload_type.hpp"
#include "laxity/transport/shared_memory.hpp"

namespace laxity {

struct ChannelOptions {
  std::size_t send_depth = 2;     ///< messages in flight, at least 1
  std::size_t receive_depth = 0;  ///< messages queued at the receiver; on one host both depths form one buffer
  Overflow overflow = Overflow::drop_newest;
  bool send_on_change = false;   ///< do not send a message equal to the one before
  std::size_t max_bytes = 4096;  ///< largest message of variable length; payloads of fixed size ignore it
};

template <Payload T, Sender S = AnySender, Receiver R = AnyReceiver>
struct Channel {
  Inlet<T, S> inlet;
  Outlet<T, R> outlet;
};

namespace detail {
template <Payload T>
[[nodiscard]] RingShape shape_for(const ChannelOptions& options) {
  std::size_t bytes = options.max_bytes;
  if constexpr (requires { Codec<T>::fixed_bytes; }) bytes = Codec<T>::fixed_bytes;
  return {options.send_depth + options.receive_depth, bytes};
}
}  // namespace detail

/// A channel with both ends in this process, for one thread or, moved, for two. Throws UsageError for an invalid depth.
template <Payload T>
[[nodiscard]] Channel<T> channel(const ChannelOptions& options = {}, T initial = T{}) {
  return with_ring(options.overflow, [&]<class Ring>() -> Channel<T> {
    auto link = make_link<Ring>(detail::shape_for<T>(options));
    return {Inlet<T>(std::move(link.sender), options.send_on_change),
            Outlet<T>(std::move(link.receiver), std::move(initial))};
  });
}

/// The sending end of the channel `key`, for one of the workers that share the arena. Both ends pass the same type and
/// options. Throws TypeMismatch, UsageError, and what Arena::find_or_create throws.
template <Payload T>
[[nodiscard]] Inlet<T> sink(Arena& arena, const BlockKey& key, const ChannelOptions& options = {}) {
  return with_ring(options.overflow, [&]<class Ring>() {
    return Inlet<T>(shared_sender<Ring>(arena, key, detail::shape_for<T>(options), payload_type_of<T>()),
                    options.send_on_change);
  });
}

/// The receiving end of the channel `key`.
template <Payload T>
[[nodiscard]] Outlet<T> source(Arena& arena, const BlockKey& key, const ChannelOptions& options = {}, T initial = T{}) {
  return with_ring(options.overflow, [&]<class Ring>() {
    return Outlet<T>(shared_receiver<Ring>(arena, key, detail::shape_for<T>(options), payload_type_of<T>()),
                     std::move(initial));
  });
}

/// A channel over any transport. Its type is known to the compiler, so there is no virtual call.
template <Payload T, Sender S, Receiver R>
[[nodiscard]] Channel<T, S, R> channel_over(S sender, R receiver, T initial = T{}) {
  return {Inlet<T, S>(std::move(sender)), Outlet<T, R>(std::move(receiver), std::move(initial))};
}

}  // namespace laxity
