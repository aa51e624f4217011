// Laxity's own algorithms, which suffer less from late processes than those of MPI libraries: their names and numbers.
//
// Threads: pure functions.
// Elsewhere: the algorithms over MPI (algorithms/own_collectives.hpp), their schedules (laxity/schedule/).
#pragma once

#include <cstddef>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::collective {

/// The values are the ids of the algorithms in tables, above those of all libraries.
enum class OwnAlgorithm {
  arrival_order = 101,    ///< contributions are combined, or blocks sent, in the order in which processes arrive
  rank_order = 102,       ///< contributions are combined in the order of ranks, whoever comes first
  reduce_scatter = 103,   ///< every process combines one block of the vector, in the order of arrival
  pre_reduced_ring = 104  ///< blocks travel around a ring one by one, up to the process that is late
};

/// The own algorithms of a collective, in the order of their ids. Their names have the prefix "laxity_".
[[nodiscard]] std::vector<Algorithm> own_algorithms(Collective collective);

/// The all-to-all in the order of arrival sends a larger block when its receiver has told that it waits for it.
inline constexpr std::size_t max_block_without_notice_bytes = 4096;

/// Whether an id of an algorithm stands for one of ours.
[[nodiscard]] constexpr bool is_own(int id) noexcept { return id > 100; }

}  // namespace laxity::collective
