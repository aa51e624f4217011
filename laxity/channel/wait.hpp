// Waiting for the other end: spin a little, then give the core away.
#pragma once

#include <thread>

namespace laxity::detail {

/// Call until() again and again until it is true. Spins with pause first, because the other end usually runs beside us;
/// yields after that, because it may need our core.
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
