#include "laxity/launch/barrier.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "laxity/check.hpp"

namespace laxity {
namespace {

void pause_briefly() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

std::size_t Barrier::bytes_needed(int members) noexcept {
  return sizeof(Header) + static_cast<std::size_t>(members) * sizeof(Place);
}

Barrier Barrier::create(std::byte* memory, int members, WaitStyle style) noexcept {
  LAXITY_CHECK(members > 0 && reinterpret_cast<std::uintptr_t>(memory) % alignof(Header) == 0);
  new (memory) Header{static_cast<std::uint32_t>(members), style, false};
  const Barrier barrier(memory);
  for (int member = 0; member < members; ++member) new (&barrier.places()[member]) Place{0};
  return barrier;
}

void Barrier::leave(int member) const noexcept {
  LAXITY_DCHECK(member >= 0 && member < members());
  places()[member].reached.store(left, std::memory_order_release);
}

bool BarrierMember::wait_for(const Barrier::Place& place, std::uint64_t number) const noexcept {
  constexpr int spins = 4096;  // tens of microseconds: longer than an ordinary update takes to catch up
  constexpr int yields = 64;
  const auto reached = [&] {
    if (wait_hook_ != nullptr) wait_hook_->poll();
    return place.reached.load(std::memory_order_acquire) >= number;  // pairs with B1
  };
  const Barrier::Header& header = barrier_.header();

  for (int spin = 0; header.style == WaitStyle::spin && spin < spins; ++spin) {
    if (reached()) return true;
    if (barrier_.broken()) return false;
    pause_briefly();
  }
  for (int turn = 0; turn < yields; ++turn) {
    if (reached()) return true;
    if (barrier_.broken()) return false;
    sched_yield();
  }
  // A wake-up would cost every arrival a full fence; the waiter polls with short sleeps instead.
  using std::chrono::nanoseconds;
  const auto start = std::chrono::steady_clock::now();
  while (!reached()) {
    if (barrier_.broken()) return false;
    const auto waited = std::chrono::duration_cast<nanoseconds>(std::chrono::steady_clock::now() - start);
    std::this_thread::sleep_for(
        std::clamp<nanoseconds>(waited / 16, std::chrono::microseconds(20), std::chrono::milliseconds(5)));
  }
  return true;
}

}  // namespace laxity
