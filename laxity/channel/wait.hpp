// Blocking until a condition holds: spins first, then yields the core.
#pragma once

#include <thread>

namespace laxity::detail {

/// Calls until() repeatedly until it returns true. Spins with pauses first, because the other end usually runs on
/// another core; then yields, because it may need this one.
template <class Condition>
void wait_until(Condition&& until) {
  constexpr int spins = 2000;
  for (int i = 0; i < spins; ++i) {
    if (until()) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  while (!until()) std::this_thread::yield();
}

}  // namespace laxity::detail
