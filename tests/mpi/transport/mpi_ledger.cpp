#include "tests/mpi/transport/mpi_ledger.hpp"

#include <mpi.h>

#include <set>
#include <utility>

#include "laxity/transport/detail/mpi_frame.hpp"

namespace laxity::conformance {
namespace {

std::set<MPI_Request> receives;  // persistent receives that exist
bool another_version = false;
std::function<void()> after_copy;

int counted(int code, std::int64_t& what, std::int64_t by) {
  if (code == MPI_SUCCESS) what += by;
  return code;
}

int counted_call(int code) { return counted(code, mpi_ledger().calls, 1); }

void falsify(const void* message, int bytes) {
  using laxity::detail::MpiFrameHeader;
  if (!another_version || static_cast<std::size_t>(bytes) < sizeof(MpiFrameHeader)) return;
  ++static_cast<MpiFrameHeader*>(const_cast<void*>(message))->version;
}

}  // namespace

MpiLedger& mpi_ledger() noexcept {
  static MpiLedger ledger;
  return ledger;
}

void after_the_next_copy(std::function<void()> what) { after_copy = std::move(what); }

void send_another_version(bool so) noexcept { another_version = so; }

}  // namespace laxity::conformance

using namespace laxity::conformance;

extern "C" {

int MPI_Isend(const void* message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  falsify(message, count);
  counted_call(MPI_SUCCESS);
  return counted(PMPI_Isend(message, count, type, to, tag, comm, request), mpi_ledger().requests, 1);
}

int MPI_Irsend(const void* message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  falsify(message, count);
  counted_call(MPI_SUCCESS);
  return counted(PMPI_Irsend(message, count, type, to, tag, comm, request), mpi_ledger().requests, 1);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return counted(PMPI_Ibarrier(comm, request), mpi_ledger().requests, 1);
}

int MPI_Recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Recv_init(to, count, type, from, tag, comm, request);
  receives.insert(*request);
  return counted(code, mpi_ledger().persistent, 1);
}

int MPI_Request_free(MPI_Request* request) {
  const bool receive = receives.erase(*request) != 0;
  return counted(PMPI_Request_free(request), mpi_ledger().persistent, receive ? -1 : 0);
}

int MPI_Cancel(MPI_Request* request) {
  ++mpi_ledger().canceled;
  return PMPI_Cancel(request);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const bool was = *request != MPI_REQUEST_NULL;
  const int code = PMPI_Test(request, flag, status);
  counted_call(code);
  return counted(code, mpi_ledger().requests, was && *request == MPI_REQUEST_NULL ? -1 : 0);
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  std::int64_t before = 0;
  for (int each = 0; each < count; ++each) before += requests[each] != MPI_REQUEST_NULL;
  const int code = counted_call(PMPI_Testall(count, requests, flag, statuses));
  for (int each = 0; each < count; ++each) before -= requests[each] != MPI_REQUEST_NULL;
  return counted(code, mpi_ledger().requests, -before);
}

int MPI_Testsome(int count, MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) {
  return counted_call(PMPI_Testsome(count, requests, found, indices, statuses));
}

int MPI_Start(MPI_Request* request) { return counted_call(PMPI_Start(request)); }
int MPI_Startall(int count, MPI_Request* requests) { return counted_call(PMPI_Startall(count, requests)); }

int MPI_Put(const void* from, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  return counted_call(PMPI_Put(from, count, type, rank, place, target_count, target_type, window));
}
int MPI_Win_flush(int rank, MPI_Win window) { return counted_call(PMPI_Win_flush(rank, window)); }

int MPI_Win_sync(MPI_Win window) {
  if (after_copy) std::exchange(after_copy, nullptr)();
  return PMPI_Win_sync(window);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return counted(PMPI_Comm_dup(comm, made), mpi_ledger().communicators, 1);
}
int MPI_Comm_free(MPI_Comm* comm) { return counted(PMPI_Comm_free(comm), mpi_ledger().communicators, -1); }

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* window) {
  return counted(PMPI_Win_allocate(bytes, unit, info, comm, memory, window), mpi_ledger().windows, 1);
}
int MPI_Win_free(MPI_Win* window) { return counted(PMPI_Win_free(window), mpi_ledger().windows, -1); }

}  // extern "C"
