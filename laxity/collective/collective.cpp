#include "laxity/collective/collective.hpp"

#include "laxity/error.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective {
namespace {

constexpr std::array<std::string_view, 9> names{"allgather", "allreduce", "alltoall",       "barrier", "bcast",
                                                "gather",    "reduce",    "reduce_scatter", "scatter"};
constexpr std::array<std::string_view, 4> libraries{"Open MPI", "MPICH", "Intel MPI", "another MPI"};

}  // namespace

std::string_view name_of(Collective collective) noexcept { return names[static_cast<std::size_t>(collective)]; }

Collective collective_named(std::string_view wanted) {
  std::string known;
  for (const Collective collective : all_collectives) {
    if (name_of(collective) == wanted) return collective;
    known += (known.empty() ? "" : ", ") + std::string(name_of(collective));
  }
  throw UsageError("collective " + laxity::detail::quoted(wanted) + " is not known; known are " + known);
}

bool has_block_per_process(Collective collective) noexcept {
  return collective != Collective::allreduce && collective != Collective::bcast && collective != Collective::reduce &&
         collective != Collective::barrier;
}

std::string_view name_of(Library library) noexcept { return libraries[static_cast<std::size_t>(library)]; }

}  // namespace laxity::collective
