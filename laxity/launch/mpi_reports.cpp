#include "laxity/launch/mpi_reports.hpp"

#include <cstddef>

#include "laxity/check.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

constexpr int first = 0;
constexpr int report_tag = 2, word_tag = 3;  // 0 is that of MpiSession::gatherv()

bool is_over(MPI_Request& request) {
  int over = 0;
  mpi::check("MPI_Test", MPI_Test(&request, &over, MPI_STATUS_IGNORE));
  return over != 0;
}

}  // namespace

MpiReports::MpiReports(MPI_Comm team) : team_(team) {
  is_first_ = mpi::rank_in(team_) == first;
  lines_.resize(is_first_ ? static_cast<std::size_t>(mpi::size_of(team_)) : 1);
  if (is_first_) lines_[first].is_done = true;
}

bool MpiReports::send(std::span<const std::byte> report) {
  LAXITY_CHECK(!is_first_ && report.size() <= most_bytes);
  Line& line = lines_.front();
  if (!is_over(line.report_request)) return false;
  line.report.assign(report.begin(), report.end());
  mpi::check("MPI_Isend", MPI_Isend(line.report.data(), static_cast<int>(report.size()), MPI_BYTE, first, report_tag,
                                    team_, &line.report_request));
  return true;
}

bool MpiReports::has_ended() {
  int is_there = ended_ ? 1 : 0;
  if (is_there == 0) mpi::check("MPI_Iprobe", MPI_Iprobe(first, word_tag, team_, &is_there, MPI_STATUS_IGNORE));
  if (is_there != 0 && !ended_)
    mpi::check("MPI_Recv", MPI_Recv(nullptr, 0, MPI_BYTE, first, word_tag, team_, MPI_STATUS_IGNORE));
  ended_ = is_there != 0;
  return ended_;
}

bool MpiReports::take_in(int rank) {
  Line& line = lines_[static_cast<std::size_t>(rank)];
  if (line.is_done) return false;
  if (line.report_request == MPI_REQUEST_NULL) {
    int is_there = 0, bytes = 0;
    MPI_Status status;
    mpi::check("MPI_Iprobe", MPI_Iprobe(rank, report_tag, team_, &is_there, &status));
    if (is_there == 0) return false;
    mpi::check("MPI_Get_count", MPI_Get_count(&status, MPI_BYTE, &bytes));
    line.report.resize(static_cast<std::size_t>(bytes));
    mpi::check("MPI_Irecv",
               MPI_Irecv(line.report.data(), bytes, MPI_BYTE, rank, report_tag, team_, &line.report_request));
  }
  if (!is_over(line.report_request)) return false;
  line.is_done = line.report.empty();
  return true;
}

void MpiReports::receive(const Take& take) {
  for (int rank = 0; rank < static_cast<int>(lines_.size()); ++rank)
    while (take_in(rank))
      if (const Line& line = lines_[static_cast<std::size_t>(rank)]; !line.report.empty()) take(rank, line.report);
}

void MpiReports::end() {
  LAXITY_CHECK(is_first_);
  for (int rank = 1; rank < static_cast<int>(lines_.size()); ++rank)
    mpi::check("MPI_Isend", MPI_Isend(nullptr, 0, MPI_BYTE, rank, word_tag, team_,
                                      &lines_[static_cast<std::size_t>(rank)].word_request));
}

bool MpiReports::close() {
  if (!is_first_) {
    if (!answered_) answered_ = send({});
    return answered_ && is_over(lines_.front().report_request);
  }
  receive([](int, std::span<const std::byte>) {});
  for (Line& line : lines_)
    if (!line.is_done || !is_over(line.word_request)) return false;
  return true;
}

}  // namespace laxity
