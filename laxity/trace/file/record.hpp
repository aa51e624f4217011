// What a trace file holds: the process, its clock, the communicators and call sites it met, and its collective calls.
//
// Times are readings of the process's own steady clock, ns; the clock records say how to bring them to the global one.
// Elsewhere: how records become bytes (codec.hpp, docs/trace_format.md), who writes (writer.hpp) and reads (reader.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "laxity/trace/file/kind.hpp"

namespace laxity::trace {

/// How an operation was started. The numbers stand in trace files.
enum class Start : std::uint8_t { blocking = 0, nonblocking = 1, persistent = 2 };

/// The process that wrote the file: its first record.
struct Process {
  std::uint64_t job = 0;             ///< the same in all processes of one MPI_COMM_WORLD, and in no others
  std::uint32_t rank = 0, size = 1;  ///< in MPI_COMM_WORLD
  std::uint64_t pid = 0;
  std::uint32_t every = 1;    ///< of so many calls on a communicator one was recorded
  std::int64_t start_ns = 0;  ///< when MPI_Init returned
  std::uint64_t clock = 0;    ///< which clock it reads (clock_identity.hpp); equal ones are one clock, 0 is unknown
  std::string host, mpi, program;
};

/// At `at_ns` of its own clock the process knew: global time = own time + offset + slope × (own time − at).
struct ClockPoint {
  std::int64_t at_ns = 0;
  double offset_ns = 0;
  double slope = 0;
  bool synchronized = false;  ///< false: nothing was measured; right only among processes of one node
};

/// A variable of the environment, as the process found it, that has a say in the choice of algorithms (algorithm.hpp).
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

/// Where a collective was called from: the object file and the place in it, as addr2line takes them.
struct CallSite {
  std::string object;
  std::uint64_t offset = 0;
  std::string symbol;  ///< the exported function around it; empty if there is none

  friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// Roots that are no rank.
inline constexpr std::int32_t no_root = -1;        ///< the operation has none
inline constexpr std::int32_t this_is_root = -2;   ///< MPI_ROOT of an inter-communicator
inline constexpr std::int32_t takes_no_part = -3;  ///< MPI_PROC_NULL of an inter-communicator

struct Call {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  bool in_place = false;
  bool failed = false;             ///< the call, or its completion, did not return MPI_SUCCESS
  bool completed = true;           ///< false: nonblocking, and no completion was seen
  std::uint32_t communicator = 0;  ///< index of its record in the file
  std::uint32_t site = 0;          ///< likewise
  std::int32_t root = no_root;
  std::uint64_t sequence = 0;  ///< counts all collective calls on the communicator, recorded or not
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::int64_t arrival_ns = 0;     ///< the call was entered
  std::int64_t return_ns = 0;      ///< and left
  std::int64_t completing_ns = 0;  ///< the wait or test that completed it was entered; blocking: as arrival
  std::int64_t exit_ns = 0;        ///< and left; blocking: as return
};

/// The last record of a process that came to MPI_Finalize.
struct End {
  std::int64_t at_ns = 0;
  std::uint64_t calls = 0, recorded = 0;
};

}  // namespace laxity::trace
