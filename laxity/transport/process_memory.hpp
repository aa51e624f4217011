// Reading the memory of another process: the kernel copies from one address space into the other (cross memory attach).
//
// Threads: any. Elsewhere: memory that processes share (segment.hpp).
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <span>

namespace laxity {

/// Permits the processes of the same parent to read the memory of this one, where the system restricts it (Yama).
void allow_siblings_to_read() noexcept;

/// Copies the pieces `from` of the memory of another process, in order, into the pieces `into` of this one; both have
/// the same total size. False: the process is gone. Throws SystemError.
[[nodiscard]] bool read_process_memory(pid_t process, std::span<const iovec> into, std::span<const iovec> from);

}  // namespace laxity
