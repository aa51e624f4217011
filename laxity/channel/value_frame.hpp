// Frames with one value per channel, as pooled and accumulating channels use them: PackHeader, a bitmap of the channels
// that have been put to since the previous frame, and a value per channel.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

namespace detail {

/// One bit per channel.
class ChannelBitmap {
 public:
  explicit ChannelBitmap(std::size_t channels) : words_(words_for(channels)) {}
  [[nodiscard]] static constexpr std::size_t words_for(std::size_t channels) noexcept { return (channels + 63) / 64; }

  [[nodiscard]] bool test(std::size_t i) const noexcept { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) noexcept { words_[i / 64] |= 1ULL << (i % 64); }
  void reset(std::size_t i) noexcept { words_[i / 64] &= ~(1ULL << (i % 64)); }
  void set_all() noexcept { std::ranges::fill(words_, ~0ULL); }
  void reset_all() noexcept { std::ranges::fill(words_, 0); }

  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace detail

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

/// The bitmap and the values of a frame, in place.
template <FixedPayload T>
struct ValueFrame {
  ValueFrame(std::span<const std::byte> frame, std::size_t channels) noexcept
      : bitmap(frame.data() + sizeof(PackHeader)),
        values(reinterpret_cast<const T*>(bitmap + 8 * ChannelBitmap::words_for(channels)), channels) {}
  const std::byte* bitmap;
  std::span<const T> values;
};

}  // namespace detail
}  // namespace laxity
