// Algorithms that are the same at some number of processes or size of message: a library falls back, or the tree of one has
// the shape of another's. They must not be taken for different algorithms that happen to be equally fast.
//
// Listed for Open MPI 4.1 and 5.0, from what its algorithms fall back to; tests/end_to_end/rules counts messages and finds
// those of an alias equal to those of the algorithm that runs. For other libraries nothing is listed: MPICH is told to
// answer with an error instead of falling back (algorithms.hpp).
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::collective {

struct Alias {
  Algorithm algorithm;   ///< what was asked for
  Algorithm runs;        ///< what is done; never an alias itself
  std::string_view why;  ///< in a few words
};

/// The aliases among `all`, in their order. `bytes` as in Operation, which sends elements of 4 bytes.
[[nodiscard]] std::vector<Alias> aliases(Library library, Collective collective, const std::vector<Algorithm>& all,
                                         int processes, std::size_t bytes);

/// False if the library, of that version ("5.0.2"), refuses, stops the program or never returns when this algorithm meets
/// so many processes.
[[nodiscard]] bool is_usable(Library library, std::string_view version, Collective collective,
                             const Algorithm& algorithm, int processes) noexcept;

}  // namespace laxity::collective
