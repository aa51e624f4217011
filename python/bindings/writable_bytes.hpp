// The bytes of an array that C++ writes, for as long as this object lives.
//
// Threads: those that hold the interpreter's lock (GIL).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <utility>

namespace laxity::python {

class WritableBytes {
 public:
  explicit WritableBytes(nanobind::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0)
      throw nanobind::python_error();
  }
  WritableBytes(WritableBytes&& other) noexcept : buffer_(std::exchange(other.buffer_, Py_buffer{})) {}
  WritableBytes& operator=(WritableBytes&&) = delete;
  ~WritableBytes() { PyBuffer_Release(&buffer_); }

  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(buffer_.buf); }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(buffer_.len); }

 private:
  Py_buffer buffer_{};
};

}  // namespace laxity::python
