#include "laxity/timewarp/model.hpp"

#include <exception>

namespace laxity::timewarp {

void throw_model_error(const std::string& place) {
  try {
    throw;
  } catch (const ModelError&) {
    throw;
  } catch (const std::exception& error) {
    throw ModelError(place + ": " + error.what());
  } catch (...) {
    throw ModelError(place + ": the model has thrown something that is no std::exception");
  }
}

}  // namespace laxity::timewarp
