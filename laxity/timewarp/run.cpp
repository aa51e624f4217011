#include "laxity/timewarp/run.hpp"

#include <string>

#include "laxity/error.hpp"

namespace laxity::timewarp::detail {

void require_valid(const RunOptions& options, LpId logical_processes) {
  if (logical_processes == 0) throw UsageError("a simulation needs at least one logical process");
  if (options.worker.turn == 0) throw UsageError("turn = 0: a worker processes at least one event a turn");
  if (options.worker.gvt_interval == 0) throw UsageError("gvt_interval = 0: at least one event between two GVT rounds");
  constexpr std::size_t most = (std::size_t{1} << 29) - 2;
  if (options.worker.max_events < 1024 || options.worker.max_events > most) {
    throw UsageError("max_events = " + std::to_string(options.worker.max_events) + ": between 1024 and " +
                     std::to_string(most) + " records per worker");
  }
  if (options.worker.events == SentEvents::shared && (options.processes > 0 || options.ranks != nullptr))
    throw UsageError("events are shared between threads of one process; processes and ranks get copies");
}

void require_processes(const RunOptions& options) {
  if (options.processes == 0 && options.ranks == nullptr)
    throw UsageError("memory is attached between processes; threads have the same memory");
}

void require_threads(const RunOptions& options, std::size_t queues_per_thread) {
  if (options.processes > 0 || options.ranks != nullptr)
    throw UsageError("queues are between threads of one process; processes exchange by rings");
  if (queues_per_thread == 0 || queues_per_thread > 1024) {
    throw UsageError(std::to_string(queues_per_thread) + " queues per thread: 1 to 1024");
  }
}

}  // namespace laxity::timewarp::detail
