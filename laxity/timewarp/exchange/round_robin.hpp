// Visits elements in a cycle that begins one element later each time, so that no sender is always served last.
//
// Threads: one.
#pragma once

#include <cstddef>

namespace laxity::timewarp {

class RoundRobin {
 public:
  /// Calls visit(element) for each element of the container.
  template <class Container, class Visit>
  void for_each(Container& elements, Visit visit) {
    const std::size_t size = elements.size();
    if (++first_ >= size) first_ = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = first_ + i;
      visit(elements[place < size ? place : place - size]);
    }
  }

 private:
  std::size_t first_ = 0;
};

}  // namespace laxity::timewarp
