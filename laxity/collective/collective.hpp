// The collective operations that are measured and tuned, and what names them and their algorithms.
//
// Threads: pure functions.
// Elsewhere: which algorithms the running MPI has (algorithms.hpp); which of them are the same (aliases.hpp).
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

/// In lower case without MPI_, as in all tables: "reduce_scatter".
[[nodiscard]] std::string_view name_of(Collective collective) noexcept;

/// Throws UsageError that lists the names.
[[nodiscard]] Collective collective_named(std::string_view name);

/// True if the size of a message is that of the block for one process, and a process has a block for each: all but
/// allreduce, bcast and reduce, whose messages are whole vectors, and barrier, which has none.
[[nodiscard]] bool has_block_per_process(Collective collective) noexcept;

enum class Library { open_mpi, mpich, intel_mpi, other };

/// "Open MPI", "MPICH", "Intel MPI", "another MPI".
[[nodiscard]] std::string_view name_of(Library library) noexcept;

/// One way in which a library performs a collective.
struct Algorithm {
  int id = 0;  ///< the library's number for it; 0 stands for "let the library decide"
  std::string name;

  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

}  // namespace laxity::collective
