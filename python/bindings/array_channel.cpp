#include "python/bindings/array_channel.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity::python {
namespace {

// Tells a call that waits without the interpreter's lock when to give up: its time is over, or Python has a signal to
// handle. The clock is read only while waiting.
class Patience {
 public:
  explicit Patience(std::optional<double> timeout_s) {
    if (timeout_s) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*timeout_s));
  }

  bool operator()() {
    const auto now = Clock::now();
    if (deadline_ && now >= *deadline_) return true;
    if (now < next_signal_check_) return false;
    next_signal_check_ = now + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire lock;
    return has_signal_ = PyErr_CheckSignals() != 0;
  }

  /// Raises what the handler of a signal has raised, such as KeyboardInterrupt. With the interpreter's lock.
  void raise_signal() const {
    if (has_signal_) throw nb::python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  std::optional<Clock::time_point> deadline_;
  Clock::time_point next_signal_check_{};
  bool has_signal_ = false;
};

int give_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  const Bytes bytes = nb::inst_ptr<Frame>(self)->bytes();
  return PyBuffer_FillInfo(buffer, self, const_cast<std::byte*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()), 1,
                           flags);
}

PyType_Slot frame_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(give_buffer)}, {0, nullptr}};

// Both ends of a channel in memory that threads share, and processes that are forked later.
std::pair<ArrayInlet, ArrayOutlet> make_channel(nb::object initial, std::size_t depth, const std::string& overflow,
                                                bool send_on_change) {
  const auto type = std::make_shared<const ArrayType>(initial);
  const ChannelOptions options = options_for(*type, depth, overflow, send_on_change);
  return with_ring(options.overflow, [&]<class Ring>() {
    const RingShape shape{options.send_depth, options.max_bytes};
    const auto segment = std::make_shared<const Segment>(Segment::shared(Ring::bytes_needed(shape)));
    Ring::initialize(segment->data(), shape);
    using OwnSender = KeepingMemory<typename Ring::Sender>;
    using OwnReceiver = KeepingMemory<typename Ring::Receiver>;
    return std::pair(ArrayInlet(Inlet<Bytes>(OwnSender(segment, segment->data()), send_on_change), type),
                     ArrayOutlet(Outlet<Bytes>(OwnReceiver(segment, segment->data())), type, initial));
  });
}

nb::dict dict_of(const InletCounters& counters) {
  nb::dict made;
  made["attempted"] = counters.attempted.read();
  made["refused"] = counters.refused.read();
  made["unchanged"] = counters.unchanged.read();
  return made;
}

nb::dict dict_of(const OutletCounters& counters) {
  nb::dict made;
  made["pulls"] = counters.pulls();
  made["received"] = counters.received();
  made["superseded"] = counters.superseded.read();
  return made;
}

}  // namespace

bool ArrayInlet::put(nb::handle array, std::optional<double> timeout_s) {
  const ArrayBytes bytes(*type_, array);
  Patience patience(timeout_s);
  bool sent = false;
  {
    const nb::gil_scoped_release unlocked;
    sent = inlet_.put(bytes.span(), patience);
  }
  if (!sent) patience.raise_signal();
  return sent;
}

ArrayOutlet::ArrayOutlet(Outlet<Bytes> outlet, std::shared_ptr<const ArrayType> type, nb::object initial)
    : state_(std::make_shared<State>(State{std::move(outlet), std::move(type)})), initial_(std::move(initial)) {}

void ArrayOutlet::require_no_view() const {
  if (state_->views == 0) return;
  raise("FrameInUse",
        "an array that get() returned still lives at the next pull, after which its memory belongs to the "
        "sender; delete it before, or keep get().copy()");
}

std::size_t ArrayOutlet::shown(std::size_t moved) const {
  if (moved != 0 && state_->outlet.get().size() != state_->type->bytes())
    raise("DamagedFrame", "a frame of " + std::to_string(state_->outlet.get().size()) +
                              " bytes arrived in a channel of " + state_->type->text() +
                              "; its memory was overwritten");
  return moved;
}

std::size_t ArrayOutlet::pull() {
  require_no_view();
  return shown(state_->outlet.jump());
}

std::size_t ArrayOutlet::try_step(std::size_t limit) {
  require_no_view();
  return shown(state_->outlet.try_step(limit));
}

bool ArrayOutlet::step(std::optional<double> timeout_s) {
  require_no_view();
  Patience patience(timeout_s);
  bool moved = false;
  {
    const nb::gil_scoped_release unlocked;
    moved = state_->outlet.step(patience);
  }
  if (!moved) patience.raise_signal();
  return shown(moved ? 1 : 0) != 0;
}

nb::object ArrayOutlet::get() const {
  if (state_->outlet.get().empty()) return initial_;
  return state_->type->array_over(nb::cast(new Frame(state_), nb::rv_policy::take_ownership));
}

ChannelOptions options_for(const ArrayType& type, std::size_t depth, const std::string& overflow, bool send_on_change) {
  const auto policy = overflow_named(overflow);
  if (!policy) raise("UsageError", "overflow = " + overflow + ": must be drop_newest, drop_oldest or latest");
  return {.send_depth = depth, .overflow = *policy, .send_on_change = send_on_change, .max_bytes = type.bytes()};
}

void bind_channels(nb::module_& module) {
  const nb::class_<Frame> frame(module, "Frame", nb::type_slots(frame_slots));
  nb::class_<ArrayInlet>(module, "Inlet")
      .def("try_put", &ArrayInlet::try_put, nb::arg("array").none())
      .def("put", &ArrayInlet::put, nb::arg("array").none(), nb::arg("timeout_s") = nb::none())
      .def_prop_ro("counters", [](const ArrayInlet& inlet) { return dict_of(inlet.counters()); })
      .def("__repr__", [](const ArrayInlet& inlet) { return "<laxity.Inlet of " + inlet.text() + ">"; });
  nb::class_<ArrayOutlet>(module, "Outlet")
      .def("pull", &ArrayOutlet::pull)
      .def("try_step", &ArrayOutlet::try_step, nb::arg("limit") = 1)
      .def("step", &ArrayOutlet::step, nb::arg("timeout_s") = nb::none())
      .def("get", &ArrayOutlet::get)
      .def_prop_ro("counters", [](const ArrayOutlet& outlet) { return dict_of(outlet.counters()); })
      .def("__repr__", [](const ArrayOutlet& outlet) { return "<laxity.Outlet of " + outlet.text() + ">"; });
  module.def("channel", &make_channel, nb::arg("initial"), nb::arg("depth"), nb::arg("overflow"),
             nb::arg("send_on_change"));
}

}  // namespace laxity::python
