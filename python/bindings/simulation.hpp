// Simulations whose handlers are given by address: functions compiled by numba, or callbacks of ctypes.
//
// Threads: the interpreter's lock (GIL) is released during a run. Elsewhere: the engine's C interface
// (laxity/timewarp/c_model.h), models in Python (laxity/simulation.py).
#pragma once

#include <nanobind/nanobind.h>

namespace laxity::python {

void bind_simulations(nanobind::module_& module);

}  // namespace laxity::python
