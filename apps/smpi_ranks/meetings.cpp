#include "apps/smpi_ranks/meetings.hpp"

#include <array>
#include <cmath>

namespace laxity {

Meetings::Meetings(MPI_Comm communicator, const PacingOptions& options, std::int64_t begin_ns)
    : communicator_(communicator),
      options_(options),
      next_ns_(begin_ns + options.rolling_ns),
      point_(begin_ns / options.fixed_ns) {
  check(options);
}

bool Meetings::after_update(std::int64_t now_ns, bool over) {
  switch (options_.mode) {
    case Mode::every_update:
      return meet(0, over);
    case Mode::rolling: {
      if (now_ns < next_ns_) return true;
      const bool go_on = meet(0, over);
      next_ns_ = simulated_ns() + options_.rolling_ns;
      return go_on;
    }
    case Mode::fixed: {
      const std::int64_t point = now_ns / options_.fixed_ns;
      return point <= point_ || meet(point, over);
    }
    case Mode::none:
    case Mode::isolated:
      break;
  }
  return !over;
}

bool Meetings::meet(std::int64_t point, bool over) {
  std::array<std::int64_t, 2> news{point, over ? 1 : 0};
  MPI_Allreduce(MPI_IN_PLACE, news.data(), 2, MPI_INT64_T, MPI_MAX, communicator_);
  point_ = news[0];
  return news[1] == 0;
}

std::int64_t simulated_ns() { return std::llround(MPI_Wtime() * 1e9); }

}  // namespace laxity
