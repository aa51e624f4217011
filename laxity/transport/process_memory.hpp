// Reading the memory of another process: the kernel copies from one address space into the other (cross memory attach).
//
// Threads: any. Elsewhere: memory that processes share (segment.hpp).
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <span>

namespace laxity {

/// From now on the processes of the same parent may read this one's memory, where the system asks for leave (Yama).
void allow_siblings_to_read() noexcept;

/// Copies the pieces of the other process's memory, one after the other, into the pieces of this one's; both are of as
/// many bytes. False: that process is gone. Throws SystemError.
[[nodiscard]] bool read_process_memory(pid_t process, std::span<const iovec> into, std::span<const iovec> from);

}  // namespace laxity
