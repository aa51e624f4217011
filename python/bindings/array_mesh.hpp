// Meshes of NumPy arrays: a graph spread over the workers of a team, whose layers carry a value per node as StateLayer
// does, of a size that is known at run time.
//
// Python makes the arrays of a layer (laxity/mesh.py); a layer here keeps their memory and moves values between them
// and the frames. A frame between two workers is a put, and is counted as those of every mesh are.
// Invariants: `seen` changes in pull() only; after a refusal nothing is kept, since the next frame has newer values.
//
// Threads: a part belongs to one worker; calls keep the interpreter's lock (GIL), because they take microseconds.
// Elsewhere: links, routes and counters (laxity/mesh), teams (team.hpp).
#pragma once

#include <nanobind/nanobind.h>

namespace laxity::python {

void bind_meshes(nanobind::module_& module);

}  // namespace laxity::python
