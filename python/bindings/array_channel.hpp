// Channels of NumPy arrays: the inlets and outlets of laxity/channel, which carry the bytes of one array type.
//
// A view that get() returns shows the frame in place. It stays valid until the next pull, which therefore refuses with
// FrameInUse while an array of the view still lives: an array cannot be revoked, and after the pull the sender would
// write into it.
//
// Threads: one owns an inlet, one an outlet, as in C++. A call that blocks releases the interpreter's lock (GIL).
// Elsewhere: the type (array_type.hpp), the ends in a team (team.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "laxity/channel/channel.hpp"
#include "python/bindings/array_type.hpp"

namespace laxity::python {

using Bytes = std::span<const std::byte>;

class ArrayInlet {
 public:
  ArrayInlet(Inlet<Bytes> inlet, std::shared_ptr<const ArrayType> type)
      : inlet_(std::move(inlet)), type_(std::move(type)) {}

  bool try_put(nb::handle array) { return inlet_.try_put(ArrayBytes(*type_, array).span()); }
  /// Blocks until the array is queued; false: not within the time.
  bool put(nb::handle array, std::optional<double> timeout_s);
  [[nodiscard]] const InletCounters& counters() const noexcept { return inlet_.counters(); }
  [[nodiscard]] const std::string& text() const noexcept { return type_->text(); }

 private:
  Inlet<Bytes> inlet_;
  std::shared_ptr<const ArrayType> type_;
};

class ArrayOutlet {
 public:
  ArrayOutlet(Outlet<Bytes> outlet, std::shared_ptr<const ArrayType> type, nb::object initial);

  /// Each raises FrameInUse while a view lives, and DamagedFrame.
  std::size_t pull();
  std::size_t try_step(std::size_t limit);
  /// Blocks until the next array arrives; false: not within the time.
  bool step(std::optional<double> timeout_s);
  /// A read-only view of the current array; the initial one before the first pull that moves.
  [[nodiscard]] nb::object get() const;
  [[nodiscard]] const OutletCounters& counters() const noexcept { return state_->outlet.counters(); }
  [[nodiscard]] const std::string& text() const noexcept { return state_->type->text(); }

 private:
  friend class Frame;
  struct State {
    Outlet<Bytes> outlet;
    std::shared_ptr<const ArrayType> type;
    int views = 0;  // that live
  };

  void require_no_view() const;
  std::size_t shown(std::size_t moved) const;

  std::shared_ptr<State> state_;
  nb::object initial_;
};

/// The frame behind a view: the object that owns the memory of the arrays over it. Alive as long as any of them.
class Frame {
 public:
  explicit Frame(std::shared_ptr<ArrayOutlet::State> state) : state_(std::move(state)) { ++state_->views; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { --state_->views; }

  [[nodiscard]] Bytes bytes() const noexcept { return state_->outlet.get(); }

 private:
  std::shared_ptr<ArrayOutlet::State> state_;
};

/// Options of a channel of this type; raises UsageError for an unknown overflow policy.
[[nodiscard]] ChannelOptions options_for(const ArrayType& type, std::size_t depth, const std::string& overflow,
                                         bool send_on_change);

void bind_channels(nb::module_& module);

}  // namespace laxity::python
