#include "python/bindings/array_type.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

namespace laxity::python {
namespace {

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

std::string format_of(const Py_buffer& buffer) { return buffer.format != nullptr ? buffer.format : "B"; }

}  // namespace

void raise(const char* class_name, const std::string& message) {
  const nb::object type = nb::module_::import_("laxity.error").attr(class_name);
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

ArrayType::ArrayType(const nb::object& array)
    : ndarray_(nb::module_::import_("numpy").attr("ndarray")),
      shape_(array.attr("shape")),
      dtype_(array.attr("dtype")),
      text_(text_of(dtype_) + " of shape " + text_of(shape_)) {
  Py_buffer buffer{};
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    raise("UsageError", text_ + ": a channel cannot carry such elements; use numbers, or a structure of numbers");
  }
  format_ = format_of(buffer);
  extents_.assign(buffer.shape, buffer.shape + buffer.ndim);
  bytes_ = static_cast<std::size_t>(buffer.len);
  PyBuffer_Release(&buffer);
  if (bytes_ == 0) raise("UsageError", text_ + ": a channel needs arrays of at least one element");
}

PayloadType ArrayType::payload_type() const { return payload_type_named(text_, bytes_, 8); }

nb::object ArrayType::array_over(nb::handle buffer) const { return ndarray_(shape_, dtype_, buffer); }

ArrayBytes::ArrayBytes(const ArrayType& type, nb::handle array) {
  constexpr int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS;
  if (PyObject_GetBuffer(array.ptr(), &buffer_, flags) != 0) {
    PyErr_Clear();
    if (!PyObject_HasAttrString(array.ptr(), "dtype"))
      raise("TypeMismatch", "put of a " + text_of(nb::handle(array.type()).attr("__name__")) +
                                ": the channel carries arrays, " + type.text());
    const nb::object contiguous = array.attr("copy")("C");
    if (PyObject_GetBuffer(contiguous.ptr(), &buffer_, flags) != 0) throw nb::python_error();
  }
  const char* format = buffer_.format != nullptr ? buffer_.format : "B";
  const bool same_shape =
      std::equal(buffer_.shape, buffer_.shape + buffer_.ndim, type.extents_.begin(), type.extents_.end());
  if (same_shape && type.format_ == format) return;
  const bool is_array = PyObject_HasAttrString(array.ptr(), "dtype") != 0;
  const std::string put = is_array ? text_of(array.attr("dtype")) + " of shape " + text_of(array.attr("shape"))
                                   : "a " + text_of(nb::handle(array.type()).attr("__name__"));
  PyBuffer_Release(&buffer_);
  raise("TypeMismatch", "put of " + put + ": the channel carries " + type.text());
}

}  // namespace laxity::python
