// The common part of the scenarios of rings under relacy: a ring of the given depth with both ends attached.
//
// Thread 0 sends 1, 2, 3, ...; thread 1 receives. To be included last, like relacy_atomics.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "laxity/transport/ring_shape.hpp"
#include "relacy_atomics.hpp"

namespace laxity::interleaving {

template <class Derived, class Ring, std::size_t depth>
struct RingScenario : rl::test_suite<Derived, 2> {
  static constexpr RingShape shape{depth, 8};
  // Static, because relacy does not align the scenario.
  alignas(64) static inline std::array<std::byte, 16384> memory;
  static inline std::optional<typename Ring::Sender> sender;
  static inline std::optional<typename Ring::Receiver> receiver;
  std::optional<Payloads<depth + 5>> payloads;  // a ring has at most 3 more frames, a deep one 2 % and 1
  unsigned sent = 0;
  unsigned passed = 0;  // received or superseded: the number of the frame shown

  void before() {
    graveyard.discard();
    RL_ASSERT(Ring::bytes_needed(shape) <= memory.size());
    Ring::initialize(memory.data(), shape);
    payloads.emplace();
    sender.emplace(memory.data());
    receiver.emplace(memory.data());
    sent = passed = 0;
  }

  /// Claims room and writes the next number. False: refused.
  bool claim_and_fill() {
    std::byte* room = sender->try_claim();
    if (room == nullptr) return false;
    payloads->write(room, ++sent);
    return true;
  }
  void send() {
    if (claim_and_fill()) sender->publish(8);
  }
  void check_shown() {
    RL_ASSERT(receiver->frame().size() == (passed == 0 ? 0 : 8));
    if (passed != 0) RL_ASSERT(payloads->read(receiver->frame().data()) == passed);
  }
  void receive(std::size_t limit) {
    check_shown();  // unchanged by the sender
    const std::uint64_t superseded_before = receiver->superseded();
    const std::size_t moved = receiver->try_step(limit);
    RL_ASSERT(moved <= limit);
    passed += static_cast<unsigned>(moved + receiver->superseded() - superseded_before);
    check_shown();
  }
  void end() {
    RL_ASSERT(passed == sent);
    payloads.reset();
    graveyard.bury();
  }
};

}  // namespace laxity::interleaving
