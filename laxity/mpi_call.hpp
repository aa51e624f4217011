// Checked calls of MPI: every call in the library is an argument of one of these functions, after its own name, so that
// an error names the operation.
//
// By default MPI ends the program when a call fails; an error code is returned only for communicators and windows with
// the error handler MPI_ERRORS_RETURN. Header only, because laxity/clock/mpi_sync.cpp is also compiled alone, for other
// MPI libraries.
//
// Invariants: tests/layering refuses every other call. Threads: any.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <string>

#include "laxity/error.hpp"

namespace laxity {
namespace mpi {

/// What a call of MPI returned, for callers that expect some calls to fail: Result{"MPI_Test", MPI_Test(...)}.
struct Result {
  const char* operation = "";
  int code = MPI_SUCCESS;

  [[nodiscard]] bool succeeded() const noexcept { return code == MPI_SUCCESS; }
  /// "MPI_Comm_dup: MPI_ERR_COMM: invalid communicator"
  [[nodiscard]] std::string text() const {
    char description[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, description, &length) != MPI_SUCCESS)
      return std::string(operation) + ": error " + std::to_string(code);
    return std::string(operation) + ": " + std::string(description, static_cast<std::size_t>(length));
  }
};

}  // namespace mpi

/// A call of MPI that failed; the message begins with the name of the operation.
class MpiError : public Error {
 public:
  explicit MpiError(const mpi::Result& result) : Error(result.text()), code_(result.code) {}
  /// The error code of MPI; MPI_Error_class() says which class it belongs to.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace mpi {

/// Throws MpiError unless the call succeeded: check("MPI_Barrier", MPI_Barrier(communicator)).
inline void check(const char* operation, int code) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw MpiError({operation, code});
}

/// For destructors, which cannot throw: writes a line to stderr unless the call succeeded.
inline void report(const char* operation, int code) noexcept {
  if (code != MPI_SUCCESS) [[unlikely]]
    std::fprintf(stderr, "laxity: %s failed with error code %d\n", operation, code);
}

/// For a call whose failure changes nothing, such as freeing a request of a rank that is gone.
inline void ignore(const char* /*operation*/, int /*code*/) noexcept {}

/// The rank of this process in a communicator.
[[nodiscard]] inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  check("MPI_Comm_rank", MPI_Comm_rank(communicator, &rank));
  return rank;
}

/// The number of ranks in a communicator.
[[nodiscard]] inline int size_of(MPI_Comm communicator) {
  int size = 0;
  check("MPI_Comm_size", MPI_Comm_size(communicator, &size));
  return size;
}

}  // namespace mpi
}  // namespace laxity
