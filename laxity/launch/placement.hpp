// Which processor each worker runs on.
//
// Workers are placed compactly on the processors that this process may use (affinity mask, cgroup): one per core first,
// the second hardware threads of the cores after that. Without hwloc the processors are taken in the system's order.
// Elsewhere: who calls pin_this_thread (team.cpp).
#pragma once

#include <string>
#include <vector>

namespace laxity {

enum class Pin {
  automatic,  ///< pin unless there are more workers than processors
  always,     ///< pin even then: worker i shares processor i modulo their number
  never,
};

struct Placement {
  std::vector<int> processor_of_worker;  ///< operating-system numbers; empty if not pinned
  int processors = 0;                    ///< that this process may use
  bool oversubscribed = false;           ///< more workers than processors
  std::string description;               ///< one line, for people and the manifest
};

[[nodiscard]] Placement plan_placement(int workers, Pin pin);

/// Keeps the calling thread on one processor. False if the system refuses.
bool pin_this_thread(int processor) noexcept;

/// Gives the calling thread back the processors it could use before, if it is pinned meanwhile. For as long as it lives.
class KeepAffinity {
 public:
  KeepAffinity();
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;
  ~KeepAffinity();

 private:
  std::vector<int> processors_;
};

/// Processors this process may use, one per core first, as operating-system numbers.
[[nodiscard]] std::vector<int> allowed_processors();

/// Cores among them; equals the number of processors when hwloc is not there to tell.
[[nodiscard]] int allowed_cores();

}  // namespace laxity
