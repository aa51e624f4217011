#include "laxity/error.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace laxity {
namespace {

struct Limit {
  int error_number;
  __rlimit_resource resource;
  const char* of;
  const char* unit;
  const char* option;  // of the shell's ulimit
  rlim_t multiple;     // of the unit, in which the shell counts
};

constexpr Limit limits[] = {
    {EFBIG, RLIMIT_FSIZE, "file sizes and shared memory", "KiB", "-f", 1024},
    {ENOMEM, RLIMIT_AS, "address space", "KiB", "-v", 1024},
    {EMFILE, RLIMIT_NOFILE, "open files", "", "-n", 1},
    {EAGAIN, RLIMIT_NPROC, "processes and threads of this user", "", "-u", 1},
};

}  // namespace

std::string limit_behind(int error_number) {
  for (const Limit& limit : limits) {
    rlimit set{};
    if (limit.error_number != error_number || ::getrlimit(limit.resource, &set) != 0) continue;
    if (set.rlim_cur == RLIM_INFINITY) continue;
    const std::string number = std::to_string(set.rlim_cur / limit.multiple);
    return std::string(" (the limit of ") + limit.of + " is " + number + (*limit.unit == '\0' ? "" : " ") + limit.unit +
           ": ulimit " + limit.option + ")";
  }
  return {};
}

SystemError::SystemError(const std::string& call, int error_number)
    : Error(call + ": " + std::strerror(error_number) + limit_behind(error_number)), error_number_(error_number) {}

}  // namespace laxity
