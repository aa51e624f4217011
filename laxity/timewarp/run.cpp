#include "laxity/timewarp/run.hpp"

#include <string>

#include "laxity/error.hpp"

namespace laxity::timewarp::detail {

void require_valid(const RunOptions& options, LpId logical_processes) {
  if (logical_processes == 0) throw UsageError("a simulation needs at least one logical process");
  if (options.worker.turn == 0) throw UsageError("turn = 0: a worker processes at least one event a turn");
  if (options.worker.gvt_interval == 0) throw UsageError("gvt_interval = 0: at least one event between two GVT rounds");
  constexpr std::size_t most = (std::size_t{1} << 30) - 2;
  if (options.worker.max_events < 1024 || options.worker.max_events > most) {
    throw UsageError("max_events = " + std::to_string(options.worker.max_events) + ": between 1024 and " +
                     std::to_string(most) + " records per worker");
  }
}

}  // namespace laxity::timewarp::detail
