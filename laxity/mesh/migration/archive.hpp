// What a part takes along when it moves to another worker: its state as bytes.
//
//   void serialize(Archive& archive) {            // of whatever moves: names its state once, for packing and for unpacking
//     archive.value(update_);
//     archive.values(std::span(probabilities_));
//   }
//
// Source of the idea: the pack-unpack methods of Charm++, Kale and Krishnan, CHARM++: a portable concurrent object
//   oriented system based on C++, OOPSLA 1993.
// Invariants: whoever unpacks has built the same object, so both name the same values in the same order and sizes; a
//   archive that does not fit its buffer is a bug, and aborts.
// Threads: one. Elsewhere: who hands crates over (migratable_parts.hpp).
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "laxity/check.hpp"

namespace laxity {

class Archive {
 public:
  /// Counts the bytes and moves none.
  [[nodiscard]] static Archive sizer() noexcept { return {Purpose::count, {}}; }
  /// Copies the values into the buffer.
  [[nodiscard]] static Archive writer(std::span<std::byte> buffer) noexcept { return {Purpose::pack, buffer}; }
  /// Copies what was packed back into the values.
  [[nodiscard]] static Archive reader(std::span<std::byte> buffer) noexcept { return {Purpose::unpack, buffer}; }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void value(T& one) noexcept {
    move(&one, sizeof one);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void values(std::span<T> all) noexcept {
    move(all.data(), all.size_bytes());
  }

  /// Named so far.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether the whole buffer was packed or unpacked.
  [[nodiscard]] bool is_complete() const noexcept { return bytes_ == crate_.size(); }

 private:
  enum class Purpose { count, pack, unpack };

  Archive(Purpose purpose, std::span<std::byte> buffer) noexcept : purpose_(purpose), crate_(buffer) {}

  void move(void* values, std::size_t bytes) noexcept {
    if (purpose_ != Purpose::count && bytes != 0) {
      LAXITY_CHECK(bytes <= crate_.size() - bytes_);
      std::byte* const place = crate_.data() + bytes_;
      if (purpose_ == Purpose::pack)
        std::memcpy(place, values, bytes);
      else
        std::memcpy(values, place, bytes);
    }
    bytes_ += bytes;
  }

  Purpose purpose_;
  std::span<std::byte> crate_;
  std::size_t bytes_ = 0;
};

/// What can move: names all its state to a archive, in the same order and sizes whenever it is built for the same part.
template <class T>
concept Serializable = requires(T& object, Archive& archive) { object.serialize(archive); };

}  // namespace laxity
