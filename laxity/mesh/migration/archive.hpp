// Serialization of the state of a part that migrates to another worker, or of a program that is to be continued later.
//
//   void serialize(Archive& archive) {      // one function for both directions
//     archive.value(update_);
//     archive.values(std::span(probabilities_));
//   }
//
// Source of the idea: the pack-unpack methods of Charm++, Kale and Krishnan, CHARM++: a portable concurrent object
//   oriented system based on C++, OOPSLA 1993.
// Invariants: an object is read into one that was built alike, so both name the same values in the same order and
//   sizes. An archive that does not fit its buffer is a bug and aborts.
// Threads: one.
// Elsewhere: who migrates parts (migratable_parts.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "laxity/check.hpp"

namespace laxity {

class Archive {
 public:
  /// Counts bytes and copies none.
  [[nodiscard]] static Archive sizer() noexcept { return {Mode::size, {}}; }
  /// Copies values into the buffer.
  [[nodiscard]] static Archive writer(std::span<std::byte> buffer) noexcept { return {Mode::write, buffer}; }
  /// Copies values out of the buffer.
  [[nodiscard]] static Archive reader(std::span<std::byte> buffer) noexcept { return {Mode::read, buffer}; }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void value(T& one) noexcept {
    copy(&one, sizeof one);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void values(std::span<T> all) noexcept {
    copy(all.data(), all.size_bytes());
  }
  /// Values whose number is part of the state: a reader resizes the vector.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void resizable(std::vector<T>& all) {
    const std::size_t size = count(all.size());
    if (reads()) all.resize(size);
    values(std::span(all));
  }
  /// A number of values: `own` if it is written, the written one if it is read.
  [[nodiscard]] std::size_t count(std::size_t own) noexcept {
    std::uint64_t number = own;
    value(number);
    return number;
  }
  [[nodiscard]] bool reads() const noexcept { return mode_ == Mode::read; }

  /// Bytes of the values named so far.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether the whole buffer was written or read.
  [[nodiscard]] bool is_complete() const noexcept { return bytes_ == buffer_.size(); }

 private:
  enum class Mode { size, write, read };

  Archive(Mode mode, std::span<std::byte> buffer) noexcept : mode_(mode), buffer_(buffer) {}

  void copy(void* values, std::size_t bytes) noexcept {
    if (mode_ != Mode::size && bytes != 0) {
      LAXITY_CHECK(bytes <= buffer_.size() - bytes_);
      std::byte* const place = buffer_.data() + bytes_;
      if (mode_ == Mode::write)
        std::memcpy(place, values, bytes);
      else
        std::memcpy(values, place, bytes);
    }
    bytes_ += bytes;
  }

  Mode mode_;
  std::span<std::byte> buffer_;
  std::size_t bytes_ = 0;
};

/// A type that names all its state to an archive, in the same order and sizes whenever it is built for the same part.
template <class T>
concept Serializable = requires(T& object, Archive& archive) { object.serialize(archive); };

}  // namespace laxity
