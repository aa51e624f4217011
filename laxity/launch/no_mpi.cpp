// join_ranks() of a build without MPI: there are no ranks, and it is an error if a launcher has started several
// processes.
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity {

std::unique_ptr<Ranks> join_ranks(const RankOptions&) {
  if (const auto launch = launched(); launch && launch->size > 1)
    throw Error("this laxity was built without MPI, but was started by " + launch->launcher + " as one of " +
                std::to_string(launch->size) +
                ": start it without a launcher, with forked processes (TeamOptions::processes), or build it with MPI");
  return nullptr;
}

std::string mpi_of_this_build() { return {}; }

}  // namespace laxity
