#include "laxity/transport/mpi_error.hpp"

namespace laxity {
namespace {

std::string described(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

MpiError::MpiError(const std::string& call, int code) : Error(call + ": " + described(code)), code_(code) {}

}  // namespace laxity
