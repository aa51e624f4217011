#include "laxity/transport/detail/mpi_end.hpp"

#include "laxity/transport/mpi_error.hpp"

namespace laxity::detail {

void MpiEnd::fail_call(int code, const char* call) noexcept {
  is_lost_ = true;
  fail(MpiError(call, code).what());
}

}  // namespace laxity::detail
