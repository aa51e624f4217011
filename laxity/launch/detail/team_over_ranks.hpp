// What a team over ranks does that one within a process and its children does not: the ranks of a host come to share
// memory, and in the end all learn how every worker ended.
//
// Memory is made by the leader of a host, without a name, and joined by the others by its address: so nothing is left
// behind whatever dies. Threads: collective, each from the thread that joined the MPI.
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

/// The memory of a team on this host, laid out by the leader's `lay_out`, which has it as `job`, to be published; workers
/// of other hosts are marked as such. Throws Error on all ranks if one cannot join.
[[nodiscard]] TeamMemory team_memory_over_ranks(Ranks& ranks, int threads, std::size_t bytes,
                                                const std::function<void(std::byte*)>& lay_out,
                                                std::optional<PublishedJob>& job);
/// The name that a job over these ranks has on all hosts.
[[nodiscard]] std::string job_name_over_ranks(Ranks& ranks);
[[nodiscard]] Arena arena_over_ranks(Ranks& ranks, std::size_t bytes, std::size_t max_blocks);

/// Workers are placed on a host as if they were of one process, if its ranks may all use the same processors; where the
/// launcher has given each rank its own, each keeps to those.
[[nodiscard]] Placement plan_placement_over_ranks(Ranks& ranks, int threads, Pin pin);

/// How the workers of all ranks ended; `mine` has those of this host. Interrupted if any rank was.
[[nodiscard]] TeamReport report_of_all_ranks(Ranks& ranks, int threads, TeamReport mine);

/// After the loss of a rank: returns at rank 0; if that is the lost one, throws Error at the lowest of its host that is
/// left; ends with the process elsewhere.
void go_on_without_lost_rank(Ranks& ranks, int threads, const TeamReport& mine);

}  // namespace laxity::detail
