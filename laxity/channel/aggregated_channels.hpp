// Aggregated channels: many channels between the same two workers share a frame, each with any number of messages of any
// size.
//
// Source: Moreno et al., Conduit (2021), section 2, "aggregation".
// Frame: PackHeader, then records {channel, bytes, payload padded to 8 bytes}, written in place.
// Invariants: messages of a channel keep their order; a refused message is not stored; jump() keeps the newest message of
//   every channel, whichever frame carried it.
// Threads: one thread owns each end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/check.hpp"
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
  AggregatedInlet(AnySender sender, std::size_t channels)
      : sender_(std::move(sender)), refused_(channels), attempted_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return refused_.size(); }

  /// Appends a message to the open frame. False: no frame is free, or the open frame is full until the next flush.
  /// Throws PayloadTooLarge for a message larger than a frame.
  bool try_put(std::size_t i, const T& message) {
    const std::size_t bytes = Codec<T>::bytes(message);
    const std::size_t record = aggregated_record_bytes(bytes);
    if (sizeof(PackHeader) + record > sender_.frame_capacity())
      throw PayloadTooLarge(bytes, sender_.frame_capacity() - sizeof(PackHeader) - sizeof(detail::RecordHeader));
    ++attempted_[i];
    if (frame_ == nullptr) {
      frame_ = sender_.try_claim();
      used_ = sizeof(PackHeader);
    }
    if (frame_ == nullptr || used_ + record > sender_.frame_capacity()) {
      ++refused_[i];
      backlog_ |= frame_ == nullptr;
      return false;
    }
    const detail::RecordHeader header{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(bytes)};
    std::memcpy(frame_ + used_, &header, sizeof header);
    Codec<T>::encode(message, frame_ + used_ + sizeof header);
    used_ += record;
    ++waiting_;
    return true;
  }

  /// Whether a flush would send a frame, or would report that none was free.
  [[nodiscard]] bool pending() const noexcept { return waiting_ != 0 || backlog_; }

  /// Publishes the open frame. False: since the last flush no frame was free. True and nothing sent if nothing was put.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    const bool refused = std::exchange(backlog_, false);
    if (waiting_ == 0) return !refused;
    sent_ += waiting_;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_)};
    std::memcpy(frame_, &header, sizeof header);
    sender_.publish(used_);
    frame_ = nullptr;
    waiting_ = 0;
    return true;
  }

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }  ///< messages in the open frame
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }      ///< messages sent in frames
  [[nodiscard]] std::uint64_t attempted(std::size_t i) const { return attempted_.at(i); }
  [[nodiscard]] std::uint64_t refused(std::size_t i) const { return refused_.at(i); }

 private:
  AnySender sender_;
  std::byte* frame_ = nullptr;  // the open frame; nullptr between a flush and the next put
  std::size_t used_ = 0;
  std::size_t waiting_ = 0;
  bool backlog_ = false;  // a put found no free frame since the last flush
  std::uint64_t sent_ = 0;
  std::vector<std::uint64_t> refused_;
  std::vector<std::uint64_t> attempted_;
};

template <Payload T>
class AggregatedOutlet {
 public:
  AggregatedOutlet(AnyReceiver receiver, std::size_t channels, const T& initial = T{})
      : receiver_(std::move(receiver)), newest_(channels, initial), first_(channels + 1) {}

  [[nodiscard]] std::size_t channels() const noexcept { return newest_.size(); }

  /// Loads the next frame; messages(i) are its messages of channel i. Returns the number of frames moved: 0 or 1. After 0
  /// no channel has messages.
  std::size_t try_step() {
    const std::size_t moved = receiver_.try_step(1);
    load(moved != 0);
    return moved;
  }

  /// Loads every frame that has arrived, at most max_frames_per_pull, and keeps the newest message of every channel;
  /// messages(i) are those of the last frame. Returns the number of frames moved.
  std::size_t jump() {
    std::size_t moved = 0;
    for (std::size_t limit = max_frames_per_pull; limit != 0; --limit) {
      if (receiver_.try_step(1) == 0) break;
      ++moved;
      load(true);
    }
    if (moved == 0) load(false);
    return moved;
  }

  /// The newest message of channel i so far, the initial value before any.
  [[nodiscard]] const T& get(std::size_t i) const noexcept { return newest_[i]; }

  /// The messages of channel i in the frame loaded last, in the order of their puts. Valid until the next pull.
  [[nodiscard]] std::span<const T> messages(std::size_t i) const noexcept {
    return std::span<const T>(messages_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

  /// Messages received, including those in overwritten frames.
  [[nodiscard]] std::uint64_t received() const noexcept { return progress_.received(); }
  /// Frames overwritten in the transport.
  [[nodiscard]] std::uint64_t superseded() const noexcept { return receiver_.superseded(); }
  [[nodiscard]] std::uint32_t touch() const noexcept { return progress_.touch(); }

  /// Bounds a pull, so that a fast sender cannot keep the reader busy forever.
  static constexpr std::size_t max_frames_per_pull = 4096;

 private:
  struct Record {
    std::uint32_t channel;
    std::span<const std::byte> payload;
  };

  // Sorts the frame's records by channel (counting sort, stable) and decodes them.
  void load(bool has_frame) {
    std::ranges::fill(first_, 0);
    messages_.clear();
    if (!has_frame) return;
    read_records();
    for (const Record& record : records_) ++first_[record.channel + 1];
    for (std::size_t i = 0; i < newest_.size(); ++i) first_[i + 1] += first_[i];
    messages_.resize(records_.size());
    cursor_.assign(first_.begin(), first_.end() - 1);
    for (const Record& record : records_) Codec<T>::decode(record.payload, messages_[cursor_[record.channel]++]);
    for (std::size_t i = 0; i < newest_.size(); ++i)
      if (first_[i] != first_[i + 1]) newest_[i] = messages_[first_[i + 1] - 1];
  }

  void read_records() {
    const std::span<const std::byte> frame = receiver_.frame();
    progress_.read(frame);
    records_.clear();
    for (std::size_t at = sizeof(PackHeader); at + sizeof(detail::RecordHeader) <= frame.size();) {
      detail::RecordHeader header;
      std::memcpy(&header, frame.data() + at, sizeof header);
      LAXITY_CHECK(header.channel < newest_.size() && at + aggregated_record_bytes(header.bytes) <= frame.size());
      records_.push_back({header.channel, frame.subspan(at + sizeof header, header.bytes)});
      at += aggregated_record_bytes(header.bytes);
    }
  }

  AnyReceiver receiver_;
  std::vector<T> newest_;
  std::vector<T> messages_;         // of the loaded frame, grouped by channel
  std::vector<std::size_t> first_;  // first message of each channel in messages_, and the end
  std::vector<std::size_t> cursor_;
  std::vector<Record> records_;
  detail::PackProgress progress_;
};

}  // namespace laxity
