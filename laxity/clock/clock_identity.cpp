#include "laxity/clock/clock_identity.hpp"

#include <sys/stat.h>

#include <fstream>
#include <string>

namespace laxity {
namespace {

// Source: FNV-1a, 64 bits (Fowler, Noll and Vo).
std::uint64_t digest_of(const std::string& text) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const char letter : text) digest = (digest ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return digest;
}

}  // namespace

ClockIdentity steady_clock_identity() {
  std::string boot_id;
  if (!std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot_id)) return unshared_clock;
  struct stat time_namespace {};
  // Kernels before 5.6 have no time namespaces, so all processes of a boot share one clock.
  if (stat("/proc/self/ns/time", &time_namespace) == 0) boot_id += ' ' + std::to_string(time_namespace.st_ino);
  return digest_of(boot_id);
}

}  // namespace laxity
