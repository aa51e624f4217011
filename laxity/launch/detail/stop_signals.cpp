#include "laxity/launch/detail/stop_signals.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "laxity/error.hpp"

namespace laxity::detail {
namespace {

// A signal handler can use globals only; lock-free atomics are async-signal-safe.
std::atomic<StopRequest*> request_to_make{nullptr};
std::atomic<int> own_process{-1};
std::atomic<int> signals_seen{0};
std::atomic<int> last_signal{SIGTERM};

void handle(int signal_number) {
  last_signal.store(signal_number, std::memory_order_relaxed);
  signals_seen.fetch_add(1, std::memory_order_relaxed);
  StopRequest* const request = request_to_make.load(std::memory_order_relaxed);
  if (request == nullptr) return;
  std::uint64_t none = 0;
  const auto process = static_cast<std::uint64_t>(std::int64_t{own_process.load(std::memory_order_relaxed)} + 1);
  request->first_signal.compare_exchange_strong(none, process << 32 | static_cast<std::uint32_t>(signal_number),
                                                std::memory_order_relaxed);
  request->requested.store(true, std::memory_order_relaxed);
}

}  // namespace

std::string name_of_signal(int number) {
  const char* const description = strsignal(number);
  return "signal " + std::to_string(number) + ", " + (description != nullptr ? description : "unknown");
}

StopSignals::StopSignals(StopRequest& request, int process) {
  StopRequest* none = nullptr;
  if (!request_to_make.compare_exchange_strong(none, &request))
    throw UsageError("a team runs in this process already: run the next one when it has ended");
  signals_seen.store(0, std::memory_order_relaxed);
  is_process(process);
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
  request_to_make.store(nullptr, std::memory_order_relaxed);
}

void StopSignals::is_process(int process) noexcept { own_process.store(process, std::memory_order_relaxed); }

int StopSignals::count() noexcept { return signals_seen.load(std::memory_order_relaxed); }

std::string StopSignals::first_signal(const StopRequest& request, std::string_view kind) {
  if (count() > 0) return name_of_signal(last_signal.load(std::memory_order_relaxed));
  const std::uint64_t first = request.first_signal.load(std::memory_order_relaxed);
  if (first == 0) return {};
  std::string text = name_of_signal(static_cast<int>(first & 0xffffffff));
  if (first >> 32 != 0) text.append(", to ").append(kind).append(" ") += std::to_string((first >> 32) - 1);
  return text;
}

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
