// Teams of forked processes whose workers run a Python function, and their quality of service.
//
// Threads: the caller supervises; it holds the interpreter's lock (GIL) while workers are forked and while it calls
// Python. Elsewhere: the team (laxity/launch/team.hpp), values and exceptions that come back (laxity/team.py).
#pragma once

#include <nanobind/nanobind.h>

namespace laxity::python {

void bind_teams(nanobind::module_& module);

}  // namespace laxity::python
