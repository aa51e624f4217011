#include "laxity/collective/collective.hpp"

#include <cctype>

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

Library library_of_version(std::string_view version_text) noexcept {
  if (version_text.find("Open MPI") != std::string_view::npos) return Library::open_mpi;
  if (version_text.find("Intel") != std::string_view::npos) return Library::intel_mpi;  // it also mentions MPICH
  if (version_text.find("MPICH") != std::string_view::npos) return Library::mpich;
  return Library::other;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

}  // namespace laxity::collective
