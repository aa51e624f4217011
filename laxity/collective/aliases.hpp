// Algorithms that are equivalent for some number of processes or some message size, because a library falls back to
// another algorithm or because two communication trees have the same shape. Equal run times of such algorithms must not
// be read as a result.
//
// Source: the fallbacks in Open MPI 4.1 and 5.0. tests/end_to_end/rules counts messages and finds the same number for
// an alias and for the algorithm that it runs. Nothing is listed for other libraries: MPICH is set to return an error
// instead of falling back (benchmark/algorithms.hpp).
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::collective {

struct Alias {
  Algorithm algorithm;   ///< the requested algorithm
  Algorithm runs;        ///< the algorithm that runs instead; never an alias itself
  std::string_view why;  ///< a short reason
};

/// The aliases among `all`, in their order. `bytes` is the message size as in Operation, which sends 4-byte elements.
[[nodiscard]] std::vector<Alias> aliases(Library library, Collective collective, const std::vector<Algorithm>& all,
                                         int processes, std::size_t bytes);

/// False if this version of the library ("5.0.2") returns an error, aborts or deadlocks when it runs the algorithm on
/// this number of processes.
[[nodiscard]] bool is_usable(Library library, std::string_view version, Collective collective,
                             const Algorithm& algorithm, int processes) noexcept;

}  // namespace laxity::collective
