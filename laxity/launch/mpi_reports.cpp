#include "laxity/launch/mpi_reports.hpp"

#include <cstddef>

#include "laxity/check.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

constexpr int first = 0;
constexpr int report_tag = 2, end_tag = 3;  // MpiSession::gatherv() uses 0, MpiStatusExchange 1

bool is_complete(MPI_Request& request) {
  int complete = 0;
  mpi::check("MPI_Test", MPI_Test(&request, &complete, MPI_STATUS_IGNORE));
  return complete != 0;
}

}  // namespace

MpiReports::MpiReports(MPI_Comm team) : team_(team) {
  is_first_ = mpi::rank_in(team_) == first;
  channels_.resize(is_first_ ? static_cast<std::size_t>(mpi::size_of(team_)) : 1);
  if (is_first_) channels_[first].is_done = true;
}

bool MpiReports::send(std::span<const std::byte> report) {
  LAXITY_CHECK(!is_first_ && report.size() <= max_bytes);
  Channel& channel = channels_.front();
  if (!is_complete(channel.report_request)) return false;
  channel.report.assign(report.begin(), report.end());
  mpi::check("MPI_Isend", MPI_Isend(channel.report.data(), static_cast<int>(report.size()), MPI_BYTE, first, report_tag,
                                    team_, &channel.report_request));
  return true;
}

bool MpiReports::has_ended() {
  int has_arrived = ended_ ? 1 : 0;
  if (has_arrived == 0) mpi::check("MPI_Iprobe", MPI_Iprobe(first, end_tag, team_, &has_arrived, MPI_STATUS_IGNORE));
  if (has_arrived != 0 && !ended_)
    mpi::check("MPI_Recv", MPI_Recv(nullptr, 0, MPI_BYTE, first, end_tag, team_, MPI_STATUS_IGNORE));
  ended_ = has_arrived != 0;
  return ended_;
}

bool MpiReports::try_receive(int rank) {
  Channel& channel = channels_[static_cast<std::size_t>(rank)];
  if (channel.is_done) return false;
  if (channel.report_request == MPI_REQUEST_NULL) {
    int has_arrived = 0, bytes = 0;
    MPI_Status status;
    mpi::check("MPI_Iprobe", MPI_Iprobe(rank, report_tag, team_, &has_arrived, &status));
    if (has_arrived == 0) return false;
    mpi::check("MPI_Get_count", MPI_Get_count(&status, MPI_BYTE, &bytes));
    channel.report.resize(static_cast<std::size_t>(bytes));
    mpi::check("MPI_Irecv",
               MPI_Irecv(channel.report.data(), bytes, MPI_BYTE, rank, report_tag, team_, &channel.report_request));
  }
  if (!is_complete(channel.report_request)) return false;
  channel.is_done = channel.report.empty();
  return true;
}

void MpiReports::receive(const Handler& handle) {
  for (int rank = 0; rank < static_cast<int>(channels_.size()); ++rank)
    while (try_receive(rank))
      if (const Channel& channel = channels_[static_cast<std::size_t>(rank)]; !channel.report.empty())
        handle(rank, channel.report);
}

void MpiReports::end() {
  LAXITY_CHECK(is_first_);
  for (int rank = 1; rank < static_cast<int>(channels_.size()); ++rank)
    mpi::check("MPI_Isend", MPI_Isend(nullptr, 0, MPI_BYTE, rank, end_tag, team_,
                                      &channels_[static_cast<std::size_t>(rank)].end_request));
}

bool MpiReports::close() {
  if (!is_first_) {
    if (!answered_) answered_ = send({});
    return answered_ && is_complete(channels_.front().report_request);
  }
  receive([](int, std::span<const std::byte>) {});
  for (Channel& channel : channels_)
    if (!channel.is_done || !is_complete(channel.end_request)) return false;
  return true;
}

}  // namespace laxity
