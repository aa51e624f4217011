#include "laxity/launch/placement.hpp"

#include <sched.h>

#include <algorithm>
#include <span>

#if LAXITY_HAS_HWLOC
#include <hwloc.h>

#include <memory>
#endif

namespace laxity {
namespace {

// The size of the mask grows, since hosts may have more processors than a fixed cpu_set_t can hold.
std::vector<int> processors_in_affinity_mask() {
  std::vector<int> processors;
  for (int capacity = CPU_SETSIZE; capacity <= 1 << 20; capacity *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(capacity));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
    const bool whole = mask != nullptr && sched_getaffinity(0, bytes, mask) == 0;
    for (int processor = 0; whole && processor < capacity; ++processor)
      if (CPU_ISSET_S(static_cast<std::size_t>(processor), bytes, mask)) processors.push_back(processor);
    if (mask != nullptr) CPU_FREE(mask);
    if (whole) break;
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

struct Cores {
  std::vector<int> processors;  // one per core first
  int cores = 0;
};

#if LAXITY_HAS_HWLOC

// Orders the allowed processors by their index within the core, then by core.
Cores order_by_core(const std::vector<int>& allowed) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {allowed, static_cast<int>(allowed.size())};
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(topology, &hwloc_topology_destroy);
  if (hwloc_topology_load(topology) != 0) return {allowed, static_cast<int>(allowed.size())};

  struct Ranked {
    int index_in_core;
    int core;
    int processor;
    auto operator<=>(const Ranked&) const = default;
  };
  std::vector<Ranked> ranked;
  int cores = 0;
  const int all_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (int core = 0; core < all_cores; ++core) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(core));
    int index_in_core = 0;
    for (const int processor : allowed)
      if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(processor)) != 0)
        ranked.push_back({index_in_core++, core, processor});
    cores += index_in_core > 0;
  }
  if (ranked.size() != allowed.size()) return {allowed, static_cast<int>(allowed.size())};
  std::ranges::sort(ranked);
  Cores result{{}, cores};
  for (const Ranked& place : ranked) result.processors.push_back(place.processor);
  return result;
}

#else

Cores order_by_core(const std::vector<int>& allowed) { return {allowed, static_cast<int>(allowed.size())}; }

#endif

std::string counted(int count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

bool set_affinity(std::span<const int> processors) noexcept {
  const int highest = processors.empty() ? 0 : std::ranges::max(processors);
  const auto capacity = static_cast<std::size_t>(std::max(highest + 1, CPU_SETSIZE));
  cpu_set_t* const mask = CPU_ALLOC(capacity);
  if (mask == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
  CPU_ZERO_S(bytes, mask);
  for (const int processor : processors) CPU_SET_S(static_cast<std::size_t>(processor), bytes, mask);
  const bool done = sched_setaffinity(0, bytes, mask) == 0;
  CPU_FREE(mask);
  return done;
}

}  // namespace

std::vector<int> allowed_processors() { return order_by_core(processors_in_affinity_mask()).processors; }

int allowed_cores() { return order_by_core(processors_in_affinity_mask()).cores; }

Placement plan_placement(int workers, PinPolicy pin) {
  const std::vector<int> processors = allowed_processors();
  Placement placement;
  placement.processors = static_cast<int>(processors.size());
  placement.oversubscribed = workers > placement.processors;
  const bool pinned = pin == PinPolicy::always || (pin == PinPolicy::automatic && !placement.oversubscribed);
  placement.description = counted(workers, "worker") + " on " + counted(placement.processors, "processor");
  if (!pinned) {
    placement.description += placement.oversubscribed ? ", not pinned (oversubscribed)" : ", not pinned";
    return placement;
  }
  placement.description += ", pinned to";
  for (int worker = 0; worker < workers; ++worker) {
    const int processor = processors[static_cast<std::size_t>(worker) % processors.size()];
    placement.processor_of_worker.push_back(processor);
    placement.description += ' ' + std::to_string(processor);
  }
  return placement;
}

bool pin_this_thread(int processor) noexcept { return processor >= 0 && set_affinity({&processor, 1}); }

KeepAffinity::KeepAffinity() : processors_(processors_in_affinity_mask()) {}

KeepAffinity::~KeepAffinity() { set_affinity(processors_); }

}  // namespace laxity
