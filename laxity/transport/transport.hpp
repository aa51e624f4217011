// The transport contract: a transport moves frames of bytes from one producer to one consumer.
//
// The unit is a frame. The producer claims room, writes in place and publishes; the consumer reads in place and steps
// on. Every transport satisfies the two concepts below; tests/conformance/ runs one suite over all of them, and over
// those of users.
//
// Threads: one thread (or process) owns the sender, one the receiver; calls of both may run at the same time.
// Elsewhere: transports whose kind is chosen at run time (any_transport.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace laxity {

/// Sends frames without blocking. The conformance suite checks that every sender
///  1. never blocks: a full buffer refuses;
///  2. delivers only what it published, each frame at most once, nothing torn;
///  3. keeps the order of what it delivers;
///  4. if lossless, delivers everything it published.
template <class S>
concept Sender = requires(S& sender, const S& seen, std::size_t bytes) {
  { S::lossless } -> std::convertible_to<bool>;
  /// Largest payload of a frame, bytes.
  { seen.frame_capacity() } noexcept -> std::same_as<std::size_t>;
  /// Room for one frame of frame_capacity() bytes, 8-byte aligned, or nullptr: refused. Claiming again without a
  /// publish in between gives the same room (its content is then unspecified).
  { sender.try_claim() } noexcept -> std::same_as<std::byte*>;
  /// Makes the first `bytes` bytes of the claimed room the next frame, visible to the receiver at once.
  { sender.publish(bytes) } noexcept -> std::same_as<void>;
};

/// Receives frames without blocking.
template <class R>
concept Receiver = requires(R& receiver, const R& seen, std::size_t limit) {
  /// Moves by at most `limit` frames and shows the last of them. Returns the number of frames moved; 0 if no frame has
  /// arrived, and then the frame shown does not change.
  { receiver.try_step(limit) } noexcept -> std::same_as<std::size_t>;
  /// Moves to the newest frame. Returns the number of frames moved, including those passed. Bounded work.
  { receiver.jump() } noexcept -> std::same_as<std::size_t>;
  /// The frame shown, in place, unchanged until the next try_step or jump that moves; empty before the first. Its
  /// data() is null if the length in the memory of the transport exceeds the room of a frame: the memory is damaged.
  { seen.frame() } noexcept -> std::same_as<std::span<const std::byte>>;
  /// Frames overwritten by newer ones before this receiver reached them; cumulative, 0 forever if lossless.
  { seen.superseded() } noexcept -> std::same_as<std::uint64_t>;
};

}  // namespace laxity
