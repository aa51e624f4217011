#include "laxity/launch/detail/link_setup.hpp"

#include <chrono>
#include <exception>
#include <thread>

namespace laxity::detail {

void LinkSetup::run() {
  // Other hosts wait for the status that all workers here have arrived, and this thread cannot send it from within.
  if (status_carrier_ != nullptr) status_carrier_->send_all();
  try {
    links_.connect();
    links_.settle();
  } catch (...) {
    memory_.end_team();  // on every rank: without links the workers might never end
    throw;
  }
  done_.fetch_add(1, std::memory_order_release);  // pairs with wait_for()
}

bool LinkSetup::wait_for(std::uint64_t count) const noexcept {
  while (done_.load(std::memory_order_acquire) < count) {
    if (memory_.worker_barrier().broken()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

void LinkSetup::run_if_entered() noexcept {
  if (memory_.link_setups_entered() <= done_.load(std::memory_order_relaxed)) return;
  try {
    run();
  } catch (const std::exception&) {
    // The workers of the other ranks report it.
  }
}

}  // namespace laxity::detail
