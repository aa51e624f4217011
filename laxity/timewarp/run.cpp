#include "laxity/timewarp/run.hpp"

#include <string>

#include "laxity/error.hpp"
#include "laxity/version.hpp"

namespace laxity::timewarp::detail {

void require_valid(const RunOptions& options) {
  if (options.worker.turn == 0) throw UsageError("turn = 0: must be at least 1");
  if (options.worker.gvt_interval == 0) throw UsageError("gvt_interval = 0: must be at least 1");
  constexpr std::size_t max = (std::size_t{1} << 29) - 2;
  if (options.worker.max_events < 1024 || options.worker.max_events > max) {
    throw UsageError("max_events = " + std::to_string(options.worker.max_events) + ": must be 1024 to " +
                     std::to_string(max) + "");
  }
  if (options.worker.events == SentEvents::shared && (options.processes > 0 || options.ranks != nullptr))
    throw UsageError("events = shared: requires that all workers are threads of one process");
}

std::vector<Fact> facts_about(const RunOptions& options) {
  return {{"version of laxity", LAXITY_VERSION},
          {"threads", std::to_string(options.threads)},
          {"ring_depth", std::to_string(options.ring_depth)},
          {"digest", options.worker.digest ? "true" : "false"}};
}

void require_processes(const RunOptions& options) {
  if (options.processes == 0 && options.ranks == nullptr)
    throw UsageError("processes = 0: attached memory requires several processes");
}

void require_threads(const RunOptions& options, std::size_t queues_per_thread) {
  if (options.processes > 0 || options.ranks != nullptr)
    throw UsageError("queues require that all workers are threads of one process");
  if (queues_per_thread == 0 || queues_per_thread > 1024) {
    throw UsageError(std::to_string(queues_per_thread) + " queues per thread: must be 1 to 1024");
  }
}

}  // namespace laxity::timewarp::detail
