#include "laxity/launch/worker.hpp"

#include <vector>

#include "laxity/launch/detail/link_setup.hpp"
#include "laxity/launch/detail/status_carrier.hpp"
#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity {

std::string WorkerPlace::name() const {
  return "worker " + std::to_string(id()) + (is_rank ? " (rank " : " (process ") + std::to_string(process) +
         ", thread " + std::to_string(thread) + ")";
}

Worker::Worker(const WorkerPlace& place, const detail::TeamMemory& memory, Arena& arena, const detail::Ties& ties)
    : place_(place),
      id_(place.id()),
      ties_(ties),
      memory_(&memory),
      stop_(&memory.stop_flag()),
      table_(memory.table()),
      probe_(table_, id_),
      meeting_(memory.meeting_barrier(), id_, ties.status_carrier),
      pacing_(memory.pacing_barrier(), id_, ties.status_carrier),
      arena_(&arena) {}

NeighborKind Worker::neighbor_kind(int other) const noexcept {
  if (other == id_) return NeighborKind::same_thread;
  if (rank_of(other) == place_.process) return NeighborKind::thread;
  if (ties_.ranks == nullptr) return NeighborKind::process;
  const std::vector<int>& host = ties_.ranks->host_of_rank;
  return host[static_cast<std::size_t>(rank_of(other))] == host[static_cast<std::size_t>(place_.process)]
             ? NeighborKind::process
             : NeighborKind::host;
}

RemoteLinks* Worker::remote_links() const noexcept {
  return ties_.link_setup == nullptr ? nullptr : &ties_.link_setup->links();
}

bool Worker::wire_up() {
  ++meetings_;
  memory_->enter_meeting(meetings_);
  if (place_.thread == 0)
    ties_.link_setup->meet();
  else if (!ties_.link_setup->await(meetings_))
    return false;
  return meeting_.arrive_and_wait();
}

void Worker::carry_news() noexcept {
  if (ties_.status_carrier->is_due()) ties_.status_carrier->turn();
}

// Links are claimed during set-up, so they are searched once or twice in a run.
void Worker::look_at_links() {
  if (table_.links() != links_watched_) {
    links_watched_ = table_.links();
    meter_.watch(links_of_worker(table_, static_cast<std::uint32_t>(id_)));
  }
  meter_.look(updates(), SteadyClock{}.now_ns());
}

}  // namespace laxity
