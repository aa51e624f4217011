// The records of a trace file: the process, its clock, its communicators and call sites, and its collective calls.
//
// Times are ns of the process's own steady clock; clock points map them to the global clock.
// Elsewhere: the encoding (codec.hpp, docs/trace_format.md), writing (writer.hpp) and reading (reader.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laxity/trace/file/kind.hpp"

namespace laxity::trace {

/// How an operation was started. The values are part of the file format.
enum class Start : std::uint8_t { blocking = 0, nonblocking = 1, persistent = 2 };

[[nodiscard]] constexpr std::string_view name_of(Start start) noexcept {
  constexpr std::array<std::string_view, 3> names{"blocking", "nonblocking", "persistent"};
  return names[static_cast<std::size_t>(start)];
}

/// The process that wrote the file; the first record.
struct Process {
  std::uint64_t job = 0;             ///< identifies the processes of one MPI_COMM_WORLD
  std::uint32_t rank = 0, size = 1;  ///< in MPI_COMM_WORLD
  std::uint64_t pid = 0;
  std::uint32_t every = 1;    ///< sampling: every k-th call on a communicator was recorded
  std::int64_t start_ns = 0;  ///< the return of MPI_Init
  std::uint64_t clock = 0;    ///< identity of its steady clock (laxity/clock/clock_identity.hpp); 0 is unknown
  std::string host, mpi, program;
};

/// The clock model at `at_ns` of the own clock: global time = own time + offset + slope × (own time − at).
struct ClockPoint {
  std::int64_t at_ns = 0;
  double offset_ns = 0;
  double slope = 0;
  bool synchronized = false;  ///< false: the offset was not measured and is valid among processes of one host only
  double error_ns = 0;  ///< largest error of the offset, half the range that the round trips left; infinite if unknown
};

/// An environment variable that influences the choice of algorithms (laxity/trace/analysis/forced_algorithm.hpp).
struct Setting {
  std::string name, value;

  friend bool operator==(const Setting&, const Setting&) = default;
};

struct Communicator {
  std::uint64_t id = 0;           ///< the same in all its processes
  std::uint32_t size = 1;         ///< processes of the own group
  std::uint32_t remote_size = 0;  ///< of an inter-communicator, else 0
  std::uint32_t rank = 0;         ///< of this process in the own group
};

/// The place of a call in the program.
struct CallSite {
  std::string object;        ///< path of the object file
  std::uint64_t offset = 0;  ///< of the return address in the object file, as for addr2line
  std::string symbol;        ///< the exported function that contains it; empty if there is none

  friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// Values of Call::root that are not ranks.
inline constexpr std::int32_t no_root = -1;                       ///< the operation has no root
inline constexpr std::int32_t root_of_intercommunicator = -2;     ///< MPI_ROOT
inline constexpr std::int32_t no_part_in_intercommunicator = -3;  ///< MPI_PROC_NULL

struct Call {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  bool in_place = false;
  bool failed = false;       ///< the call or its completion returned an error
  bool completed = true;     ///< false for a nonblocking call without a recorded completion
  std::uint32_t thread = 0;  ///< number of the calling thread in its process, from 0 in the order of first calls
  std::uint32_t completing_thread = 0;  ///< of the wait or test that completed it; `thread` if blocking
  std::uint32_t communicator = 0;       ///< index of its communicator record in the file
  std::uint32_t site = 0;               ///< index of its call site record in the file
  std::int32_t root = no_root;
  std::uint64_t sequence = 0;  ///< number of earlier collective calls on the communicator, recorded or not
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::int64_t arrival_ns = 0;     ///< entry into the call
  std::int64_t return_ns = 0;      ///< return from the call
  std::int64_t completing_ns = 0;  ///< entry into the wait or test that completed it; arrival_ns if blocking
  std::int64_t exit_ns = 0;        ///< return from that wait or test; return_ns if blocking
};

/// The completion of an earlier nonblocking or persistent call by a wait or test of any thread.
struct Completion {
  bool failed = false;
  std::uint32_t thread = 0;        ///< that called the wait or test
  std::uint32_t communicator = 0;  ///< of the call
  std::uint64_t sequence = 0;      ///< of the call
  std::int64_t completing_ns = 0, exit_ns = 0;
};

/// The last record of a process that reached MPI_Finalize.
struct End {
  std::int64_t at_ns = 0;
  std::uint64_t calls = 0, recorded = 0;
};

}  // namespace laxity::trace
