// Where calls come from: return addresses, numbered in the order in which they are met.
//
// Invariants: a call that comes out of the MPI library itself (I/O and windows are made of collectives inside) is no call
// of the program; calls that come through its Fortran, C++ or Python bindings are. Threads: the recorder's lock is held.
// Elsewhere: call sites behind Fortran bindings (entries_fortran.cpp).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "laxity/trace/file/record.hpp"

namespace laxity::trace::preload {

/// Return address of the Fortran entry that this thread is in, or null.
inline constinit thread_local const void* fortran_return_address = nullptr;

class CallSites {
 public:
  struct Found {
    std::uint32_t index = 0;
    bool inside_mpi = false;
    const CallSite* added = nullptr;  ///< met for the first time: its record, valid until the next call
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
