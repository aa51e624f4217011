// What only a team over ranks needs: memory that the ranks of a host share, a placement that they agree on, and a
// report of the workers of all ranks.
//
// The leader of a host makes the memory, without a name, and the other ranks join it by its address, so that nothing is
// left behind when a process dies.
// Threads: every function is collective, called by the thread that joined MPI. Elsewhere: the team (team.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/job.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/transport/arena.hpp"

namespace laxity::detail {

/// The memory of a team on this host, initialized by `lay_out` of the leader, which also gets it as `job`, to be
/// published; workers of other hosts are marked. Throws Error on all ranks if one cannot join the memory.
[[nodiscard]] TeamMemory team_memory_over_ranks(Ranks& ranks, int threads, std::size_t bytes,
                                                const std::function<void(std::byte*)>& lay_out,
                                                std::optional<PublishedJob>& job);
/// The name of a job over these ranks, the same on all hosts.
[[nodiscard]] std::string job_name_over_ranks(Ranks& ranks);
[[nodiscard]] Arena arena_over_ranks(Ranks& ranks, std::size_t bytes, std::size_t max_blocks);

/// Places the workers of a host like those of one process if its ranks may all use the same processors; if the launcher
/// has bound each rank to its own processors, each rank places its workers on those.
[[nodiscard]] Placement plan_placement_over_ranks(Ranks& ranks, int threads, PinPolicy pin);

/// The report of the workers of all ranks; `mine` has those of this host. Interrupted if any rank was interrupted.
[[nodiscard]] TeamReport report_of_all_ranks(Ranks& ranks, int threads, TeamReport mine);

/// After the loss of a rank: returns at rank 0, so that it can write what is known. If rank 0 is lost, the lowest rank
/// left on its host throws Error. All other ranks wait until they are ended.
void go_on_without_lost_rank(Ranks& ranks, int threads, const TeamReport& mine);

}  // namespace laxity::detail
