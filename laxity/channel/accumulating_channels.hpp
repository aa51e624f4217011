// Accumulating channels: messages of a channel merge until they are taken, so that the total is conserved exactly
// whatever is refused or delayed.
//
// Frame: PackHeader, a bitmap of the channels with mass, a value per channel.
// Invariants: merged(put) = merged(waiting) + merged(in flight) + merged(received, not taken) + merged(taken), at every
//   moment. Needs a lossless transport. A pull merges every frame it passes, so jump loses nothing.
// Threads: one thread owns each end.
#pragma once

#include <bit>
#include <functional>

#include "laxity/channel/pooled_channels.hpp"
#include "laxity/error.hpp"

namespace laxity {

/// T with an associative, commutative Merge; T{} means "nothing".
template <class T, class Merge = std::plus<>>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class AccumulatingInlet {
 public:
  AccumulatingInlet(AnySender sender, std::size_t channels, Merge merge = {})
      : sender_(std::move(sender)), merge_(merge), waiting_(channels), laden_(detail::bitmap_words(channels)) {
    if (channels == 0) return;
    if (!sender_.is_lossless())
      throw UsageError("accumulating channels need a transport that loses nothing: use overflow drop_newest");
    LAXITY_CHECK(sender_.frame_capacity() >= pooled_frame_bytes<T>(channels));
  }

  [[nodiscard]] std::size_t channels() const noexcept { return waiting_.size(); }

  /// Merges a message into what channel i sends next. Always accepted.
  void put(std::size_t i, const T& message) noexcept {
    const std::uint64_t bit = 1ULL << (i % 64);
    waiting_[i] = (laden_[i / 64] & bit) != 0 ? merge_(waiting_[i], message) : message;
    laden_[i / 64] |= bit;
    ++merged_;
  }

  /// Publishes what has accumulated. False: refused, it goes on accumulating. True with nothing sent if there is
  /// nothing.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    if (merged_ == 0) return true;
    std::byte* room = sender_.try_claim();
    if (room == nullptr) return false;
    sent_ += merged_;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_)};
    std::memcpy(room, &header, sizeof header);
    std::memcpy(room + sizeof header, laden_.data(), 8 * laden_.size());
    std::memcpy(room + sizeof header + 8 * laden_.size(), waiting_.data(), waiting_.size() * sizeof(T));
    sender_.publish(pooled_frame_bytes<T>(channels()));
    std::ranges::fill(laden_, 0);
    merged_ = 0;
    return true;
  }

  /// What channel i still holds back; nothing: T{}.
  [[nodiscard]] T waiting(std::size_t i) const noexcept {
    return (laden_[i / 64] >> (i % 64) & 1) != 0 ? waiting_[i] : T{};
  }
  [[nodiscard]] bool pending() const noexcept { return merged_ != 0; }      ///< a flush has something to do
  [[nodiscard]] std::uint64_t waiting() const noexcept { return merged_; }  ///< puts that have not left
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }       ///< puts that left in frames

 private:
  AnySender sender_;
  [[no_unique_address]] Merge merge_;
  std::vector<T> waiting_;
  std::vector<std::uint64_t> laden_;
  std::uint64_t merged_ = 0;  // puts waiting
  std::uint64_t sent_ = 0;
};

template <class T, class Merge = std::plus<>>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class AccumulatingOutlet {
 public:
  AccumulatingOutlet(AnyReceiver receiver, std::size_t channels, Merge merge = {})
      : receiver_(std::move(receiver)), merge_(merge), held_(channels), laden_(detail::bitmap_words(channels)) {}

  [[nodiscard]] std::size_t channels() const noexcept { return held_.size(); }

  /// Merges the next frame. Returns how many frames it merged: 0 or 1.
  std::size_t try_step() noexcept {
    const std::size_t moved = receiver_.try_step(1);
    if (moved != 0) merge_frame();
    return moved;
  }

  /// Merges every frame that has arrived, at most max_frames_per_pull. Returns how many.
  std::size_t jump() noexcept {
    std::size_t moved = 0;
    while (moved < max_frames_per_pull && try_step() != 0) ++moved;
    return moved;
  }

  /// What has come on channel i since the last take; nothing: T{}.
  [[nodiscard]] T get(std::size_t i) const noexcept { return (laden_[i / 64] >> (i % 64) & 1) != 0 ? held_[i] : T{}; }

  /// The same, and leaves nothing behind.
  T take(std::size_t i) noexcept {
    const T taken = get(i);
    laden_[i / 64] &= ~(1ULL << (i % 64));
    return taken;
  }

  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }  ///< puts whose mass has arrived
  [[nodiscard]] std::uint64_t superseded() const noexcept { return 0; }  ///< a lossless transport overwrites nothing
  [[nodiscard]] std::uint32_t touch() const noexcept { return touch_; }

  static constexpr std::size_t max_frames_per_pull = 4096;

 private:
  void merge_frame() noexcept {
    const std::byte* frame = receiver_.frame().data();
    PackHeader header;
    std::memcpy(&header, frame, sizeof header);
    received_ = std::max(received_, whole_count(received_, header.messages));  // a frame may have been overtaken
    touch_ = header.touch;
    const auto* values = reinterpret_cast<const T*>(frame + sizeof header + 8 * laden_.size());
    for (std::size_t word = 0; word < laden_.size(); ++word) {
      std::uint64_t bits;
      std::memcpy(&bits, frame + sizeof header + 8 * word, sizeof bits);
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t i = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
        held_[i] = (laden_[word] >> (i % 64) & 1) != 0 ? merge_(held_[i], values[i]) : values[i];
        laden_[word] |= 1ULL << (i % 64);
      }
    }
  }

  AnyReceiver receiver_;
  [[no_unique_address]] Merge merge_;
  std::vector<T> held_;
  std::vector<std::uint64_t> laden_;
  std::uint64_t received_ = 0;
  std::uint32_t touch_ = 0;
};

}  // namespace laxity
