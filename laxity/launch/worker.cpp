#include "laxity/launch/worker.hpp"

#include <vector>

#include "laxity/launch/detail/link_setup.hpp"
#include "laxity/launch/detail/rank_progress.hpp"
#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity {

std::string WorkerPlace::name() const {
  return "worker " + std::to_string(id()) + (is_rank ? " (rank " : " (process ") + std::to_string(process) +
         ", thread " + std::to_string(thread) + ")";
}

Worker::Worker(const WorkerPlace& place, const detail::TeamMemory& memory, Arena& arena,
               const detail::RankContext& rank_context)
    : place_(place),
      id_(place.id()),
      rank_context_(rank_context),
      memory_(&memory),
      stop_(&memory.stop_flag()),
      table_(memory.table()),
      probe_(table_, id_),
      barrier_(memory.worker_barrier(), id_, rank_context.progress),
      pacing_(memory.pacing_barrier(), id_, rank_context.progress),
      arena_(&arena) {}

NeighborKind Worker::neighbor_kind(int other) const noexcept {
  if (other == id_) return NeighborKind::same_thread;
  if (rank_of(other) == place_.process) return NeighborKind::thread;
  if (rank_context_.ranks == nullptr) return NeighborKind::process;
  const std::vector<int>& host = rank_context_.ranks->host_of_rank;
  return host[static_cast<std::size_t>(rank_of(other))] == host[static_cast<std::size_t>(place_.process)]
             ? NeighborKind::process
             : NeighborKind::host;
}

RemoteLinks* Worker::remote_links() const noexcept {
  return rank_context_.link_setup == nullptr ? nullptr : &rank_context_.link_setup->links();
}

bool Worker::set_up_links() {
  ++link_setups_;
  memory_->enter_link_setup(link_setups_);
  if (place_.thread == 0)
    rank_context_.link_setup->run();
  else if (!rank_context_.link_setup->wait_for(link_setups_))
    return false;
  return barrier_.arrive_and_wait();
}

void Worker::progress() noexcept { rank_context_.progress->after_update(); }

// Links are added during set-up, so the table is searched once or twice in a run.
void Worker::update_quality() {
  if (table_.links() != links_watched_) {
    links_watched_ = table_.links();
    meter_.watch(links_of_worker(table_, static_cast<std::uint32_t>(id_)));
  }
  meter_.update(updates(), SteadyClock{}.now_ns());
}

}  // namespace laxity
