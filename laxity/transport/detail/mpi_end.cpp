#include "laxity/transport/detail/mpi_end.hpp"

#include "laxity/mpi_call.hpp"

namespace laxity::detail {

void MpiEnd::fail_call(const char* operation, int code) noexcept {
  is_lost_ = true;
  fail(mpi::Result{operation, code}.text());
}

}  // namespace laxity::detail
