#include "laxity/clock/tsc_clock.hpp"

#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace laxity {
namespace {

#if defined(__x86_64__)

bool counter_is_invariant() noexcept {
  constexpr unsigned power_management_leaf = 0x80000007;
  constexpr unsigned invariant_bit = 1U << 8;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(power_management_leaf, &eax, &ebx, &ecx, &edx) != 0 && (edx & invariant_bit) != 0;
}

struct PairedReading {
  std::uint64_t ticks;
  std::int64_t ns;
};

// Reads both clocks at one time: of several attempts the one with the shortest time between the ticks before and after,
// since the longer ones were interrupted.
PairedReading read_both() noexcept {
  const SteadyClock steady;
  PairedReading best{};
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::uint64_t before = __rdtsc();
    const std::int64_t ns = steady.now_ns();
    const std::uint64_t after = __rdtsc();
    if (after - before < shortest) {
      shortest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

TscScale measure() {
  if (!counter_is_invariant()) return {};
  const PairedReading start = read_both();
  // 10 ms with both ends known to about 20 ns give the rate within a few parts per million.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const PairedReading end = read_both();
  if (end.ticks <= start.ticks || end.ns <= start.ns) return {};
  const double ns_per_tick = static_cast<double>(end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks);
  return {start.ticks, start.ns, static_cast<std::int64_t>(ns_per_tick * 4294967296.0)};
}

#else

TscScale measure() { return {}; }

#endif

}  // namespace

const TscScale& TscScale::of_this_host() {
  static const TscScale scale = measure();
  return scale;
}

}  // namespace laxity
