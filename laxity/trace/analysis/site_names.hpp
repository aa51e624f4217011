// Names of call sites for people: function, file and line.
//
// The tracer records addresses only. They are looked up afterwards, by addr2line of the GNU binutils in the object
// files as they are then: without addr2line, an object file or its symbols, a name has less.
// Threads: any; addr2line runs as a child process. Elsewhere: recording (laxity/trace/detail/preload/call_sites.hpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

/// The name of each call site, the best of "transpose (fft.cpp:120)", "transpose" and "fft+0x11f3".
[[nodiscard]] std::vector<std::string> site_names(std::span<const CallSite> sites);

}  // namespace laxity::trace
