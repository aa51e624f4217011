// The traced collective operations: those of MPI's chapter on collective communication, including neighborhood
// collectives. The creation of communicators is collective, too, but moves no data of the program and is not traced.
//
// Elsewhere: the definition of bytes for each operation (docs/trace_format.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace laxity::trace {

/// The values are part of the file format. New ones are appended.
enum class Kind : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};

inline constexpr std::array<std::string_view, 22> kind_names{"barrier",
                                                             "bcast",
                                                             "gather",
                                                             "gatherv",
                                                             "scatter",
                                                             "scatterv",
                                                             "allgather",
                                                             "allgatherv",
                                                             "alltoall",
                                                             "alltoallv",
                                                             "alltoallw",
                                                             "reduce",
                                                             "allreduce",
                                                             "reduce_scatter",
                                                             "reduce_scatter_block",
                                                             "scan",
                                                             "exscan",
                                                             "neighbor_allgather",
                                                             "neighbor_allgatherv",
                                                             "neighbor_alltoall",
                                                             "neighbor_alltoallv",
                                                             "neighbor_alltoallw"};

/// MPI's name in lower case and without MPI_: "reduce_scatter".
[[nodiscard]] constexpr std::string_view name_of(Kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

/// The operation of this name; empty if there is none.
[[nodiscard]] constexpr std::optional<Kind> kind_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

}  // namespace laxity::trace
