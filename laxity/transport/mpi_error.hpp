// Failures that an MPI library reports.
#pragma once

#include <mpi.h>

#include <string>

#include "laxity/error.hpp"

namespace laxity {

/// A call of MPI that failed: "MPI_Comm_dup: MPI_ERR_COMM: invalid communicator".
class MpiError : public Error {
 public:
  MpiError(const std::string& call, int code);
  /// The error code of MPI; MPI_Error_class() says which class it belongs to.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Throws MpiError unless `code` is MPI_SUCCESS: require_mpi(MPI_Barrier(comm), "MPI_Barrier"). Only communicators
/// whose errors return (MPI_ERRORS_RETURN) get that far; by default MPI ends the program.
inline void require_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS) throw MpiError(call, code);
}

}  // namespace laxity
