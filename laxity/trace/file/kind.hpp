// The collective operations that the tracer knows: the communication of MPI's chapter on collectives, neighborhood
// operations included. Making communicators is collective too, but moves no data of the program; it is not traced.
//
// Elsewhere: how each one's bytes are counted (docs/trace_format.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace laxity::trace {

/// The numbers stand in trace files; they never change, new ones come at the end.
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

/// The name as MPI has it, in small letters and without MPI_: "reduce_scatter".
[[nodiscard]] constexpr std::string_view name_of(Kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

[[nodiscard]] constexpr std::optional<Kind> kind_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

}  // namespace laxity::trace
