// The collective operations that are measured and tuned, the MPI libraries, and the names of both.
//
// Threads: pure functions.
// Elsewhere: the algorithms of the running MPI (benchmark/algorithms.hpp), equivalent algorithms (aliases.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace laxity::collective {

enum class Collective { allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter, scatter };

inline constexpr std::array<Collective, 9> all_collectives{
    Collective::allgather, Collective::allreduce, Collective::alltoall,       Collective::barrier, Collective::bcast,
    Collective::gather,    Collective::reduce,    Collective::reduce_scatter, Collective::scatter};

/// The name in lower case without MPI_, as in all tables: "reduce_scatter".
[[nodiscard]] std::string_view name_of(Collective collective) noexcept;

/// Throws UsageError that lists the names.
[[nodiscard]] Collective collective_named(std::string_view name);

/// True if a message size is the size of one process's block (allgather, alltoall, gather, scatter, reduce_scatter);
/// false if it is the size of the whole vector (allreduce, bcast, reduce), and for barrier, which has no message.
[[nodiscard]] bool has_block_per_process(Collective collective) noexcept;

enum class Library { open_mpi, mpich, intel_mpi, other };

/// "Open MPI", "MPICH", "Intel MPI", "another MPI".
[[nodiscard]] std::string_view name_of(Library library) noexcept;

/// The library that returned this text from MPI_Get_library_version.
[[nodiscard]] Library library_of_version(std::string_view version_text) noexcept;

/// ASCII letters in upper case, as in the names of control variables: "reduce_scatter" becomes "REDUCE_SCATTER".
[[nodiscard]] std::string upper_case(std::string_view text);

/// One way in which a library performs a collective.
struct Algorithm {
  int id = 0;  ///< the library's number; 0 stands for the library's own choice
  std::string name;

  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

}  // namespace laxity::collective
