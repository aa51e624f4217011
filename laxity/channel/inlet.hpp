// The sending end of a channel.
//
// Source: Moreno, Rodriguez Papa, Ofria, Conduit: a C++ library for best-effort high performance computing (2021),
// section 2. Threads: one thread owns an inlet. Its counters may be read by any. Elsewhere: the receiving end
// (outlet.hpp), making both (channel.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/wait.hpp"
#include "laxity/metrics/counters.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

/// Accepts messages of type T and never makes the program wait, unless put() is asked to.
template <Payload T, Sender S = AnySender>
class Inlet {
 public:
  using value_type = T;

  explicit Inlet(S sender, bool send_on_change = false) : sender_(std::move(sender)), send_on_change_(send_on_change) {}

  /// Queues a message or refuses at once. A refusal is counted; it may be ignored. With send_on_change an unchanged
  /// message counts as accepted and is not sent. Throws PayloadTooLarge for a message above the channel's maximum.
  bool try_put(const T& message) {
    check_size(message);
    counters_->attempted.add();
    if (send_on_change_ && unchanged(message)) return true;
    if (send(message)) return true;
    counters_->refused.add();
    return false;
  }

  /// Waits until there is room. Counts one attempt, however long it takes.
  void put(const T& message) {
    put(message, [] { return false; });
  }

  /// The same, but ends with false (counted as refused) once give_up() is true.
  template <class GiveUp>
  bool put(const T& message, GiveUp&& give_up) {
    check_size(message);
    counters_->attempted.add();
    if (send_on_change_ && unchanged(message)) return true;
    bool sent = false;
    detail::wait_until([&] { return (sent = send(message)) || give_up(); });
    if (!sent) counters_->refused.add();
    return sent;
  }

  /// Room for the next message in the frame itself, or nullptr: refused. Fill it, then publish_claimed(). Counts
  /// nothing yet.
  [[nodiscard]] T* try_claim() noexcept
    requires InPlacePayload<T>
  {
    std::byte* room = sender_.try_claim();
    if (room == nullptr) {
      counters_->attempted.add();
      counters_->refused.add();
    }
    return reinterpret_cast<T*>(room);
  }

  /// Sends what the last try_claim() gave room for.
  void publish_claimed() noexcept
    requires InPlacePayload<T>
  {
    counters_->attempted.add();
    sender_.publish(sizeof(T));
  }

  /// A plain channel holds nothing back, so there is nothing to publish. Here so that every kind of packing reads the
  /// same.
  bool try_flush() noexcept { return true; }
  void flush() noexcept {}

  /// From the next put on messages leave through `sender`. The outlet moves by its own switch_transport() and loses nothing.
  void switch_transport(S sender) { sender_ = std::move(sender); }

  /// Counts into memory that others can see, instead of the inlet's own.
  void count_in(InletCounters& counters) noexcept { counters_ = &counters; }
  [[nodiscard]] const InletCounters& counters() const noexcept { return *counters_; }

 private:
  void check_size(const T& message) const {
    if constexpr (!requires { Codec<T>::fixed_bytes; }) {
      if (Codec<T>::bytes(message) > sender_.frame_capacity())
        throw PayloadTooLarge(Codec<T>::bytes(message), sender_.frame_capacity());
    }
  }

  bool send(const T& message) {
    std::byte* room = sender_.try_claim();
    if (room == nullptr) return false;
    const std::size_t bytes = Codec<T>::bytes(message);
    Codec<T>::encode(message, room);
    if (send_on_change_) last_sent_.assign(room, room + bytes), sent_before_ = true;
    sender_.publish(bytes);
    return true;
  }

  bool unchanged(const T& message) {
    if (!sent_before_ || Codec<T>::bytes(message) != last_sent_.size()) return false;
    encoded_.resize((last_sent_.size() + 7) / 8);
    auto* room = reinterpret_cast<std::byte*>(encoded_.data());
    Codec<T>::encode(message, room);
    if (std::memcmp(room, last_sent_.data(), last_sent_.size()) != 0) return false;
    counters_->unchanged.add();
    return true;
  }

  S sender_;
  std::unique_ptr<InletCounters> own_counters_ = std::make_unique<InletCounters>();
  InletCounters* counters_ = own_counters_.get();
  bool send_on_change_;
  bool sent_before_ = false;
  std::vector<std::byte> last_sent_;
  std::vector<std::uint64_t> encoded_;  // 8-byte aligned room for the comparison
};

}  // namespace laxity
