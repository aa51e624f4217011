#include "laxity/launch/detail/stop_signals.hpp"

#include <cstdlib>

namespace laxity::detail {
namespace {

// A signal handler can use globals only; lock-free atomics are async-signal-safe.
std::atomic<std::atomic<bool>*> flag_to_set{nullptr};
std::atomic<int> signals_seen{0};
std::atomic<int> last_signal{SIGTERM};

void handle(int signal_number) {
  last_signal.store(signal_number, std::memory_order_relaxed);
  signals_seen.fetch_add(1, std::memory_order_relaxed);
  if (std::atomic<bool>* const flag = flag_to_set.load(std::memory_order_relaxed); flag != nullptr)
    flag->store(true, std::memory_order_relaxed);
}

}  // namespace

StopSignals::StopSignals(std::atomic<bool>& stop_flag) noexcept {
  signals_seen.store(0, std::memory_order_relaxed);
  flag_to_set.store(&stop_flag, std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // system calls of workers are restarted
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
  // A shell starts background jobs with SIGINT ignored, and they must keep ignoring it.
  if (old_interrupt_.sa_handler == SIG_IGN) sigaction(SIGINT, &old_interrupt_, nullptr);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  flag_to_set.store(nullptr, std::memory_order_relaxed);
}

int StopSignals::count() noexcept { return signals_seen.load(std::memory_order_relaxed); }

void StopSignals::die() noexcept {
  const int signal_number = last_signal.load(std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
  raise(signal_number);
  std::_Exit(128 + signal_number);
}

}  // namespace laxity::detail
