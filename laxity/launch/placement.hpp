// Which processor each worker runs on.
//
// Workers are placed compactly on the processors that this process may use (affinity mask, cgroup): first one on each
// core, then on the second hardware threads of the cores. Without hwloc, processors are used in the system's order.
// Threads: any; pinning changes the calling thread only. Elsewhere: workers pin themselves (detail/worker_groups.cpp).
#pragma once

#include <string>
#include <vector>

namespace laxity {

enum class PinPolicy {
  automatic,  ///< pin unless there are more workers than processors
  always,     ///< pin even then: worker i runs on processor i modulo the number of processors
  never,
};

struct Placement {
  std::vector<int> processor_of_worker;  ///< the system's numbers; empty if not pinned
  int processors = 0;                    ///< number that this process may use
  bool oversubscribed = false;           ///< more workers than processors
  std::string description;               ///< one line, for people and the manifest
};

[[nodiscard]] Placement plan_placement(int workers, PinPolicy pin);

/// Pins the calling thread to one processor. False if the system refuses.
bool pin_this_thread(int processor) noexcept;

/// Restores the affinity mask of the calling thread in its destructor.
class KeepAffinity {
 public:
  KeepAffinity();
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;
  ~KeepAffinity();

 private:
  std::vector<int> processors_;
};

/// The processors that this process may use, first one of each core, by the system's numbers.
[[nodiscard]] std::vector<int> allowed_processors();

/// The number of cores of these processors; without hwloc, the number of processors.
[[nodiscard]] int allowed_cores();

}  // namespace laxity
