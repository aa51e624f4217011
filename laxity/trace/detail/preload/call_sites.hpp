// The call sites of a process: return addresses, numbered in the order of first use.
//
// Invariants: a collective that the MPI library calls itself (for I/O and windows) is not a call of the program; calls
// through its Fortran, C++ or Python bindings are. Threads: the recorder's lock is held.
// Elsewhere: call sites of calls through Fortran bindings (entries_fortran.cpp).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "laxity/trace/file/record.hpp"

namespace laxity::trace::preload {

/// The return address of the Fortran entry point that this thread is in, or null.
inline constinit thread_local const void* fortran_return_address = nullptr;

class CallSites {
 public:
  struct Found {
    std::uint32_t index = 0;
    bool inside_mpi = false;
    const CallSite* added = nullptr;  ///< the record of a new call site, valid until the next call
  };

  [[nodiscard]] Found find(const void* return_address) {
    if (return_address == last_address_) return last_;
    return look_up(return_address);
  }

 private:
  Found look_up(const void* return_address);

  std::unordered_map<const void*, Found> known_;
  const void* last_address_ = nullptr;
  Found last_;
  CallSite added_;
  std::uint32_t next_index_ = 0;
};

}  // namespace laxity::trace::preload
