#include "laxity/launch/detail/link_setup.hpp"

#include <chrono>
#include <exception>
#include <thread>

namespace laxity::detail {

void LinkSetup::meet() {
  // Other hosts wait for the news that all here have come, and this thread cannot bring it from inside.
  if (status_carrier_ != nullptr) status_carrier_->tell_all();
  try {
    links_.connect();
    links_.settle();
  } catch (...) {
    memory_.break_up();  // in every rank: without links the team has no end of its own
    throw;
  }
  done_.fetch_add(1, std::memory_order_release);  // pairs with await()
}

bool LinkSetup::await(std::uint64_t meetings) const noexcept {
  while (done_.load(std::memory_order_acquire) < meetings) {
    if (memory_.meeting_barrier().broken()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

void LinkSetup::stand_in() noexcept {
  if (memory_.meetings_entered() <= done_.load(std::memory_order_relaxed)) return;
  try {
    meet();
  } catch (const std::exception&) {
    // The workers of the other ranks report it.
  }
}

}  // namespace laxity::detail
