#include "laxity/transport/process_memory.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "laxity/error.hpp"

namespace laxity {

void allow_siblings_to_read() noexcept {
#ifdef PR_SET_PTRACER
  prctl(PR_SET_PTRACER, getppid(), 0, 0, 0);  // fails without Yama, where it is not needed
#endif
}

bool read_process_memory(pid_t process, std::span<const iovec> into, std::span<const iovec> from) {
  std::size_t bytes = 0;
  for (const iovec& piece : into) bytes += piece.iov_len;
  const ssize_t read = ::process_vm_readv(process, into.data(), into.size(), from.data(), from.size(), 0);
  if (read == static_cast<ssize_t>(bytes)) return true;
  if (read < 0 && errno == ESRCH) return false;
  const int error = read < 0 ? errno : EFAULT;  // the readable part ends at an unmapped page
  std::string call = "process_vm_readv(" + std::to_string(bytes) + " bytes of process " + std::to_string(process) + ")";
  if (error == EPERM || error == ENOSYS) {
    call += ", which this system does not allow (kernel.yama.ptrace_scope, or a container without the capability)";
  }
  throw SystemError(call, error);
}

}  // namespace laxity
