#include "apps/laxity/launch/deferred_signals.hpp"

#include <atomic>

namespace laxity::cli {
namespace {

std::atomic<int> deferred = 0;  // the number of the signal; 0: none
static_assert(std::atomic<int>::is_always_lock_free);

void defer(int number) {
  if (deferred.exchange(number) == 0) return;
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

DeferredSignals::DeferredSignals() noexcept {
  deferred = 0;
  struct sigaction action {};
  action.sa_handler = defer;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
  // A shell starts background jobs with SIGINT ignored, and they must keep ignoring it.
  if (old_interrupt_.sa_handler == SIG_IGN) ::sigaction(SIGINT, &old_interrupt_, nullptr);
}

DeferredSignals::~DeferredSignals() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

void DeferredSignals::deliver() noexcept {
  if (const int number = deferred.exchange(0); number != 0) ::raise(number);
}

}  // namespace laxity::cli
