#include "laxity/check.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "laxity/error.hpp"

namespace laxity {

SystemError::SystemError(const std::string& call, int error_number)
    : Error(call + ": " + std::strerror(error_number)), error_number_(error_number) {}

namespace detail {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: laxity has a bug: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace detail
}  // namespace laxity
