// The values that the inputs of a worker show, one per edge, and those put on edges inside the worker since the last
// pull.
//
// Threads: one worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "laxity/mesh/migration/archive.hpp"

namespace laxity {

template <class T>
class InputSlots {
 public:
  explicit InputSlots(std::uint32_t slots) : next_(slots), shown_(slots), put_(slots), fresh_(slots) {}

  /// Puts a message on an edge inside the worker, visible after the next pull().
  void put(std::uint32_t slot, const T& message) {
    next_[slot] = message;
    put_[slot] = 1;
  }

  /// Shows the messages put on edges inside the worker.
  void pull() {
    if constexpr (copies_all) {
      std::ranges::copy(next_, shown_.begin());
    } else {
      for (std::uint32_t slot = 0; slot < shown_.size(); ++slot)
        if (put_[slot] != 0) shown_[slot] = next_[slot];
    }
    std::ranges::copy(put_, fresh_.begin());
    std::ranges::fill(put_, std::uint8_t{0});
  }

  /// Shows the message that read(value) writes, from another worker.
  template <class Read>
  void receive(std::uint32_t slot, Read&& read) {
    read(shown_[slot]);
    if constexpr (copies_all) next_[slot] = shown_[slot];
  }
  void set_fresh(std::uint32_t slot, bool fresh) noexcept { fresh_[slot] = fresh; }

  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return shown_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return fresh_[slot] != 0; }
  [[nodiscard]] std::span<const T> all() const noexcept { return shown_; }

  void serialize(Archive& archive) noexcept {
    archive.values(std::span(next_));
    archive.values(std::span(shown_));
    archive.values(std::span(put_));
    archive.values(std::span(fresh_));
  }

 private:
  static constexpr bool copies_all = std::is_trivially_copyable_v<T>;  // one block copy is cheaper than a test per slot

  std::vector<T> next_;
  std::vector<T> shown_;
  std::vector<std::uint8_t> put_;    // since the last pull
  std::vector<std::uint8_t> fresh_;  // a message arrived in the last pull
};

}  // namespace laxity
