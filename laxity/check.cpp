#include "laxity/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace laxity::detail {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: laxity has a bug: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace laxity::detail
