// The type of the arrays of a channel: a NumPy dtype and a shape, compared with the buffer of every array that is put.
//
// Threads: those that hold the interpreter's lock (GIL). Elsewhere: the channel (array_channel.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "laxity/transport/payload_type.hpp"

namespace laxity::python {

namespace nb = nanobind;

/// An error that Python sees as the class of this name in laxity.error.
[[noreturn]] void raise(const char* class_name, const std::string& message);

class ArrayType {
 public:
  /// The type of an array. Raises UsageError if its elements have no buffer, such as dates, or if it is empty.
  explicit ArrayType(const nb::object& array);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// "float64 of shape (8,)"
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] PayloadType payload_type() const;
  /// A new array of this type over an object that has a buffer of bytes().
  [[nodiscard]] nb::object array_over(nb::handle buffer) const;

 private:
  friend class ArrayBytes;

  nb::object ndarray_, shape_, dtype_;
  std::string text_;
  std::string format_;
  std::vector<Py_ssize_t> extents_;
  std::size_t bytes_ = 0;
};

/// The bytes of an array for as long as this object lives. Raises TypeMismatch unless the array is of the type. An
/// array whose elements are not contiguous is copied.
class ArrayBytes {
 public:
  ArrayBytes(const ArrayType& type, nb::handle array);
  ArrayBytes(const ArrayBytes&) = delete;
  ArrayBytes& operator=(const ArrayBytes&) = delete;
  ~ArrayBytes() { PyBuffer_Release(&buffer_); }

  [[nodiscard]] std::span<const std::byte> span() const noexcept {
    return {static_cast<const std::byte*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_{};
};

}  // namespace laxity::python
