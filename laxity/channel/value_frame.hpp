// Frames with one value per channel, as pooled and accumulating channels use them: PackHeader, a bitmap of the channels
// that have been put to since the previous frame, and a value per channel.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_counts.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

/// Bytes of a frame with one value per channel.
template <class T>
constexpr std::size_t value_frame_bytes(std::size_t channels) noexcept {
  return sizeof(PackHeader) + 8 * detail::ChannelBitmap::words_for(channels) + channels * sizeof(T);
}

namespace detail {

/// Writes a frame in place and publishes it. False: the sender refused.
template <FixedPayload T>
[[nodiscard]] bool try_publish_values(AnySender& sender, const PackHeader& header, const ChannelBitmap& fresh,
                                      std::span<const T> values) noexcept {
  std::byte* frame = sender.try_claim();
  if (frame == nullptr) return false;
  std::memcpy(frame, &header, sizeof header);
  std::memcpy(frame + sizeof header, fresh.words().data(), fresh.words().size_bytes());
  std::memcpy(frame + sizeof header + fresh.words().size_bytes(), values.data(), values.size_bytes());
  sender.publish(value_frame_bytes<T>(values.size()));
  return true;
}

/// The bitmap and the values of a frame, in place. Throws DamagedFrame if the frame has another length.
template <FixedPayload T>
struct ValueFrame {
  ValueFrame(std::span<const std::byte> frame, std::size_t channels)
      : bitmap(frame.data() + sizeof(PackHeader)),
        values(reinterpret_cast<const T*>(bitmap + 8 * ChannelBitmap::words_for(channels)), channels) {
    require_frame_bytes(frame, value_frame_bytes<T>(channels));
  }
  const std::byte* bitmap;
  std::span<const T> values;
};

}  // namespace detail
}  // namespace laxity
