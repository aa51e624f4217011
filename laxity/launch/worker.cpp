#include "laxity/launch/worker.hpp"

#include "laxity/launch/detail/team_memory.hpp"

namespace laxity {

std::string WorkerPlace::name() const {
  return "worker " + std::to_string(id()) + " (process " + std::to_string(process) + ", thread " +
         std::to_string(thread) + ")";
}

Worker::Worker(const WorkerPlace& place, const detail::TeamMemory& memory, Arena& arena)
    : place_(place),
      id_(place.id()),
      stop_(&memory.stop_flag()),
      table_(memory.table()),
      probe_(table_, id_),
      meeting_(memory.meeting_barrier(), id_),
      pacing_(memory.pacing_barrier(), id_),
      arena_(&arena) {}

NeighbourKind Worker::neighbour_kind(int other) const noexcept {
  if (other == id_) return NeighbourKind::same_thread;
  return other / place_.threads == place_.process ? NeighbourKind::thread : NeighbourKind::process;
}

}  // namespace laxity
