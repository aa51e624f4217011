// Teams whose workers run a Python function, and their quality of service: forked processes, or threads where Python
// runs several of them at a time.
//
// Threads: the caller supervises; it holds the interpreter's lock (GIL) while workers are forked and while it calls
// Python. Elsewhere: the team (laxity/launch/team.hpp), values and exceptions that come back (laxity/team.py).
#pragma once

#include <nanobind/nanobind.h>

namespace laxity::python {

void bind_teams(nanobind::module_& module);

}  // namespace laxity::python
