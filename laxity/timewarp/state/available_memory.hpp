// The memory that this process can use without being killed: what the host has available, and the limits of its cgroup.
//
// Source: proc(5), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux. Threads: any.
#pragma once

#include <cstddef>
#include <filesystem>

namespace laxity::timewarp {

/// Bytes: MemAvailable of the host, or the lowest limit of the cgroups of this process (version 1 or 2) if that is
/// less. `root`: for tests, the folder that holds proc and sys.
[[nodiscard]] std::size_t available_memory(const std::filesystem::path& root = "/");

/// `given` bytes, or three quarters of available_memory() if it is 0.
[[nodiscard]] std::size_t memory_or_default(std::size_t given);

}  // namespace laxity::timewarp
