// Joining ranks in a build without MPI: there are none, and a launcher that started us is told so.
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity {

std::unique_ptr<Ranks> join_ranks(const RankOptions&) {
  if (const auto launch = launched(); launch && launch->size > 1)
    throw Error("this laxity was built without MPI, but started by " + launch->launcher + " as one of " +
                std::to_string(launch->size) + ": start it alone with --processes, or build it with MPI");
  return nullptr;
}

std::string mpi_of_this_build() { return {}; }

}  // namespace laxity
