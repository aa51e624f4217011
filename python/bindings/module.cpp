// The extension module laxity._core. Its classes are the substrate of laxity/channels.py, laxity/mesh.py,
// laxity/simulation.py, laxity/team.py and laxity/topologies.py, which are documented; nothing here is for users.
//
// Errors of the library become the Python exceptions of the same name (laxity/error.py).
#include <nanobind/nanobind.h>

#include <exception>

#include "laxity/channel/damaged_frame.hpp"
#include "laxity/error.hpp"
#include "laxity/transport/payload_type.hpp"
#include "python/bindings/array_channel.hpp"
#include "python/bindings/array_mesh.hpp"
#include "python/bindings/simulation.hpp"
#include "python/bindings/team.hpp"

namespace laxity::python {
namespace {

void set_error(const char* class_name, const std::exception& error) {
  PyErr_SetString(nb::module_::import_("laxity.error").attr(class_name).ptr(), error.what());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const TypeMismatch& error) {
    set_error("TypeMismatch", error);
  } catch (const DamagedFrame& error) {
    set_error("DamagedFrame", error);
  } catch (const UsageError& error) {
    set_error("UsageError", error);
  } catch (const Error& error) {
    set_error("LaxityError", error);
  }
}

}  // namespace
}  // namespace laxity::python

NB_MODULE(_core, module) {
  nanobind::register_exception_translator(laxity::python::translate);
  laxity::python::bind_channels(module);
  laxity::python::bind_simulations(module);
  laxity::python::bind_teams(module);
  laxity::python::bind_meshes(module);
}
