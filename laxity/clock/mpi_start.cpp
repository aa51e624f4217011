#include "laxity/clock/mpi_start.hpp"

#include <sched.h>

#include <algorithm>

#include "laxity/clock/mpi_wait.hpp"
#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

constexpr int arrived_tag = 1, deadline_tag = 2;

std::int64_t receive(MPI_Comm comm, int from, int tag, DeadlineWait waiting) {
  constexpr int polls_on_own_core = 1'000'000;
  std::int64_t word = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check("MPI_Irecv", MPI_Irecv(&word, 1, MPI_INT64_T, from, tag, comm, &request));
  wait_yielding(request, waiting == DeadlineWait::spin ? polls_on_own_core : 0);
  return word;
}

}  // namespace

DeadlineWait suitable_waiting(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  mpi::check("MPI_Comm_split_type", MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  const int processes = mpi::size_of(host);
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  // Launchers bind processes to different processors, so those of all processes of the host are united.
  mpi::check("MPI_Allreduce", MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host));
  mpi::check("MPI_Comm_free", MPI_Comm_free(&host));
  const bool crowded = !known || processes > CPU_COUNT(&all);
  int crowded_anywhere = crowded ? 1 : 0;
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &crowded_anywhere, 1, MPI_INT, MPI_MAX, comm));
  return crowded_anywhere != 0 ? DeadlineWait::yield : DeadlineWait::spin;
}

StartAgreement::StartAgreement(MPI_Comm comm, const StartOptions& options)
    : options_(options), slack_ns_(options.first_slack_ns) {
  if (options.min_slack_ns < 1 || options.first_slack_ns < options.min_slack_ns ||
      options.max_slack_ns < options.first_slack_ns || options.growth < 1 || options.shrinkage > 1 ||
      options.shrinkage <= 0) {
    throw UsageError(
        "StartOptions: 1 <= min_slack_ns <= first_slack_ns <= max_slack_ns, growth >= 1 and 0 < shrinkage <= 1 must "
        "hold");
  }
  mpi::check("MPI_Comm_dup", MPI_Comm_dup(comm, &comm_));
  waiting_ = suitable_waiting(comm_);
  rank_ = mpi::rank_in(comm_);
  size_ = mpi::size_of(comm_);
}

StartAgreement::~StartAgreement() { mpi::report("MPI_Comm_free", MPI_Comm_free(&comm_)); }

std::int64_t StartAgreement::agree(const std::function<std::int64_t()>& read) {
  std::int64_t missed = missed_;
  // Up the tree: the subtree of this process has arrived, and whether any process of it missed the last start.
  int distance = 1;
  for (; distance < size_ && rank_ % (2 * distance) == 0; distance *= 2) {
    if (rank_ + distance >= size_) continue;
    missed = std::max(missed, receive(comm_, rank_ + distance, arrived_tag, waiting_));
  }
  std::int64_t deadline_ns = 0;
  if (rank_ == 0) {
    adapt_slack(missed != 0);
    deadline_ns = read() + slack_ns_;
  } else {
    mpi::check("MPI_Send", MPI_Send(&missed, 1, MPI_INT64_T, rank_ - distance, arrived_tag, comm_));
    deadline_ns = receive(comm_, rank_ - distance, deadline_tag, waiting_);
  }
  // Down the tree: the deadline, to the largest subtree first.
  for (distance /= 2; distance >= 1; distance /= 2) {
    if (rank_ + distance < size_) {
      mpi::check("MPI_Send", MPI_Send(&deadline_ns, 1, MPI_INT64_T, rank_ + distance, deadline_tag, comm_));
    }
  }
  return deadline_ns;
}

void StartAgreement::adapt_slack(bool missed) noexcept {
  const double slack = static_cast<double>(slack_ns_) * (missed ? options_.growth : options_.shrinkage);
  slack_ns_ = std::clamp(static_cast<std::int64_t>(slack), options_.min_slack_ns, options_.max_slack_ns);
}

}  // namespace laxity
