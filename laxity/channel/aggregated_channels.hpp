// Aggregated channels: many channels between the same two workers share a frame, each with any number of messages of
// any size.
//
// Source: Moreno et al., Conduit (2021), section 2, "aggregation".
// Frame: PackHeader, then records {channel, bytes, payload padded to 8 bytes}, written in place.
// Invariants: messages of a channel keep their order; a refused message is not stored; jump() keeps the newest message
//   of every channel, whichever frame carried it.
// Threads: one thread owns each end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_counts.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

namespace detail {
struct RecordHeader {
  std::uint32_t channel;
  std::uint32_t bytes;
};
constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) / 8 * 8; }
}  // namespace detail

/// Bytes that a message of `bytes` bytes occupies in an aggregated frame.
constexpr std::size_t aggregated_record_bytes(std::size_t bytes) noexcept {
  return sizeof(detail::RecordHeader) + detail::padded(bytes);
}

template <Payload T>
class AggregatedInlet {
 public:
  AggregatedInlet(AnySender sender, std::size_t channels) : sender_(std::move(sender)), counts_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return counts_.channels(); }

  /// Appends a message to the open frame. False: no frame is free, or the open frame is full until the next flush.
  /// Throws PayloadTooLarge for a message larger than a frame.
  bool try_put(std::size_t i, const T& message) {
    const std::size_t bytes = Codec<T>::bytes(message);
    const std::size_t record = aggregated_record_bytes(bytes);
    if (sizeof(PackHeader) + record > sender_.frame_capacity())
      throw PayloadTooLarge(bytes, sender_.frame_capacity() - sizeof(PackHeader) - sizeof(detail::RecordHeader));
    counts_.attempt(i);
    if (frame_ == nullptr) {
      frame_ = sender_.try_claim();
      used_ = sizeof(PackHeader);
    }
    if (frame_ == nullptr || used_ + record > sender_.frame_capacity()) {
      counts_.refuse(i);
      return false;
    }
    const detail::RecordHeader header{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(bytes)};
    std::memcpy(frame_ + used_, &header, sizeof header);
    Codec<T>::encode(message, frame_ + used_ + sizeof header);
    used_ += record;
    ++waiting_;
    return true;
  }

  /// Publishes the open frame, if a message was accepted since the last flush. Never refused, because an open frame has
  /// its place in the transport. Returns true, as the flush of the other packings does when nothing waits any more.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    if (waiting_ == 0) return true;
    sent_ += waiting_;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_)};
    std::memcpy(frame_, &header, sizeof header);
    sender_.publish(used_);
    frame_ = nullptr;
    waiting_ = 0;
    return true;
  }
  /// The same; gives all packings the same interface.
  void flush(std::uint32_t touch = 0) noexcept { try_flush(touch); }

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }  ///< messages in the open frame
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }      ///< messages sent in frames
  /// The puts of channel i.
  [[nodiscard]] const InletObservation& counts(std::size_t i) const { return counts_.of_channel(i); }
  /// The same of all channels together.
  [[nodiscard]] const InletObservation& counts() const noexcept { return counts_.total(); }

 private:
  AnySender sender_;
  std::byte* frame_ = nullptr;  // the open frame; nullptr between a flush and the next put
  std::size_t used_ = 0;
  std::size_t waiting_ = 0;
  std::uint64_t sent_ = 0;
  detail::PutCounts counts_;
};

template <Payload T>
class AggregatedOutlet {
 public:
  AggregatedOutlet(AnyReceiver receiver, std::size_t channels, const T& initial = T{})
      : receiver_(std::move(receiver)), newest_(channels, initial), first_(channels + 1), arrivals_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return newest_.size(); }

  /// Loads the next frame; messages(i) are its messages of channel i. Returns the number of frames moved: 0 or 1. After
  /// 0 no channel has messages. Throws DamagedFrame.
  std::size_t try_step() {
    return pull(1, [] {});
  }

  /// Loads every frame that has arrived, at most max_frames_per_pull, and keeps the newest message of every channel;
  /// messages(i) are those of the last frame. Returns the number of frames moved. Throws DamagedFrame.
  std::size_t jump() {
    return jump([] {});
  }

  /// The same, and calls loaded() after each frame, while messages(i) are those of that frame.
  template <class Loaded>
  std::size_t jump(Loaded&& loaded) {
    return pull(max_frames_per_pull, loaded);
  }

  /// The newest message of channel i so far, the initial value before any.
  [[nodiscard]] const T& get(std::size_t i) const noexcept { return newest_[i]; }

  /// The messages of channel i in the frame loaded last, in the order of their puts. Valid until the next pull.
  [[nodiscard]] std::span<const T> messages(std::size_t i) const noexcept {
    return std::span<const T>(messages_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

  [[nodiscard]] const PackArrivals& arrivals() const noexcept { return arrivals_; }

  /// Bounds a pull, so that a fast sender cannot keep the reader busy forever.
  static constexpr std::size_t max_frames_per_pull = 4096;

 private:
  struct Record {
    std::uint32_t channel;
    std::span<const std::byte> payload;
  };

  template <class Loaded>
  std::size_t pull(std::size_t limit, Loaded&& loaded) {
    arrivals_.begin_pull();
    std::size_t moved = 0;
    for (; moved < limit && receiver_.try_step(1) != 0; ++moved) {
      load();
      loaded();
    }
    if (moved == 0) forget();
    return moved;
  }

  void forget() noexcept {
    std::ranges::fill(first_, 0);
    messages_.clear();
  }

  // Sorts the frame's records by channel (counting sort, stable) and decodes them.
  void load() {
    forget();
    read_records();
    for (const Record& record : records_) {
      ++first_[record.channel + 1];
      arrivals_.count(record.channel);
    }
    for (std::size_t i = 0; i < newest_.size(); ++i) first_[i + 1] += first_[i];
    messages_.resize(records_.size());
    cursor_.assign(first_.begin(), first_.end() - 1);
    for (const Record& record : records_) Codec<T>::decode(record.payload, messages_[cursor_[record.channel]++]);
    for (std::size_t i = 0; i < newest_.size(); ++i)
      if (first_[i] != first_[i + 1]) newest_[i] = messages_[first_[i + 1] - 1];
  }

  void read_records() {
    const std::span<const std::byte> frame = receiver_.frame();
    records_.clear();
    if (frame.size() < sizeof(PackHeader)) detail::fail_frame_bytes(frame.size(), sizeof(PackHeader));
    for (std::size_t at = sizeof(PackHeader); at != frame.size();) {
      const std::size_t left = frame.size() - at;
      detail::RecordHeader header{};
      if (left >= sizeof header) std::memcpy(&header, frame.data() + at, sizeof header);
      if (left < sizeof header || left < aggregated_record_bytes(header.bytes) || header.channel >= newest_.size())
        detail::fail_frame("a record at " + std::to_string(at) + " of " + std::to_string(frame.size()) + " bytes, of " +
                           std::to_string(header.bytes) + " bytes for channel " + std::to_string(header.channel) +
                           " of " + std::to_string(newest_.size()));
      records_.push_back({header.channel, frame.subspan(at + sizeof header, header.bytes)});
      at += aggregated_record_bytes(header.bytes);
    }
    arrivals_.read(frame);
  }

  AnyReceiver receiver_;
  std::vector<T> newest_;
  std::vector<T> messages_;         // of the loaded frame, grouped by channel
  std::vector<std::size_t> first_;  // first message of each channel in messages_, and the end
  std::vector<std::size_t> cursor_;
  std::vector<Record> records_;
  PackArrivals arrivals_;
};

}  // namespace laxity
