#include "laxity/timewarp/c_model.h"

#include <exception>
#include <string>

#include "laxity/error.hpp"
#include "laxity/timewarp/detail/c_model_run.hpp"

namespace laxity::timewarp::detail {
namespace {

void require(bool valid, const std::string& option, const std::string& rule) {
  if (!valid) throw UsageError(option + ": " + rule);
}

void check(const laxity_model& model, const laxity_run& run) {
  const auto bytes = [](const char* option, std::size_t value) {
    return std::string(option) + " = " + std::to_string(value);
  };
  require(model.event_bytes <= 1024, bytes("event_bytes", model.event_bytes), "must be at most 1024");
  require(model.state_bytes <= 4096, bytes("state_bytes", model.state_bytes), "must be at most 4096");
  require(model.init != nullptr, "init", "must not be null, because no event would ever be sent");
  require(model.handle != nullptr, "handle", "must not be null");
  require(run.logical_processes >= 1, "logical_processes = 0", "must be at least 1");
  require(run.end_time > 0, "end_time = " + std::to_string(run.end_time), "must be positive");
  require(run.threads >= 0, "threads = " + std::to_string(run.threads), "must not be negative");
  require(run.processes >= 0, "processes = " + std::to_string(run.processes), "must not be negative");
}

// The smallest class that holds the events and states. Events of the small class and their records fill a cache line.
void run_in_its_class(const laxity_model& model, const laxity_run& run, void* states, laxity_result& result) {
  if (model.event_bytes <= 40 && model.state_bytes <= 32) return run_c_model<40, 32>(model, run, states, result);
  if (model.event_bytes <= 256 && model.state_bytes <= 512) return run_c_model<256, 512>(model, run, states, result);
  if (model.reverse == nullptr || model.state_bytes <= 512) return run_c_model<1024, 4096>(model, run, states, result);
  run_c_model<1024, 4096, StateSaving::reverse>(model, run, states, result);
}

// Calls a function that may throw, and returns the code of the C interface, with a line in `message`.
template <class Function>
int guarded(char* message, std::size_t message_bytes, const Function& function) {
  const auto failed = [&](std::string what, int code = -1) {
    for (std::size_t end = 0; (end = what.find('\n', end)) != std::string::npos;) what.replace(end, 1, "; ");
    if (message_bytes != 0) message[what.copy(message, message_bytes - 1)] = '\0';
    return code;
  };
  try {
    function();
    return 0;
  } catch (const Interrupted& interrupted) {
    return failed(interrupted.what(), -2);
  } catch (const std::exception& error) {
    return failed(error.what());
  } catch (...) {
    return failed("something was thrown that is not a std::exception");
  }
}

}  // namespace
}  // namespace laxity::timewarp::detail

int laxity_simulate(const laxity_model* model, const laxity_run* run, void* states, laxity_result* result,
                    char* message, std::size_t message_bytes) {
  namespace detail = laxity::timewarp::detail;
  return detail::guarded(message, message_bytes, [&] {
    detail::check(*model, *run);
    detail::run_in_its_class(*model, *run, states, *result);
  });
}

int laxity_check(const laxity_model* model, const laxity_run* run, char* message, std::size_t message_bytes) {
  namespace detail = laxity::timewarp::detail;
  return detail::guarded(message, message_bytes, [&] {
    detail::check(*model, *run);
    detail::check_c_model(*model, *run);
  });
}

std::uint32_t laxity_self(const laxity_context* context) { return context->self; }
std::uint32_t laxity_logical_processes(const laxity_context* context) { return context->logical_processes; }
double laxity_now(const laxity_context* context) { return context->now; }

int laxity_send(laxity_context* context, std::uint32_t to, double delay, const void* event) {
  return context->send(context, to, delay, event);
}

void laxity_fail(laxity_context* context, const char* message) {
  if (context->failure == nullptr)
    context->failure = std::make_exception_ptr(
        laxity::timewarp::ModelError("logical process " + std::to_string(context->self) + " at time " +
                                     std::to_string(context->now) + ": " + message));
}

std::uint64_t laxity_random_bits(laxity_context* context) { return context->random->bits(); }
double laxity_random_unit(laxity_context* context) { return context->random->unit(); }
std::uint32_t laxity_random_below(laxity_context* context, std::uint32_t bound) {
  return context->random->below(bound);
}
