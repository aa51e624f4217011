#include "laxity/collective/algorithms/detail/private_communicator.hpp"

#include "laxity/mpi_call.hpp"

namespace laxity::collective::detail {
namespace {

int free_attribute(MPI_Comm /*communicator*/, int /*key*/, void* value, void* /*extra*/) {
  delete static_cast<PrivateCommunicator*>(value);
  return MPI_SUCCESS;
}

int make_key() {
  int key = MPI_KEYVAL_INVALID;
  mpi::check("MPI_Comm_create_keyval", MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attribute, &key, nullptr));
  return key;
}

}  // namespace

PrivateCommunicator& PrivateCommunicator::of(MPI_Comm communicator) {
  static const int key = make_key();
  void* value = nullptr;
  int found = 0;
  mpi::check("MPI_Comm_get_attr", MPI_Comm_get_attr(communicator, key, static_cast<void*>(&value), &found));
  if (found != 0) return *static_cast<PrivateCommunicator*>(value);
  auto made = std::make_unique<PrivateCommunicator>(communicator);
  mpi::check("MPI_Comm_set_attr", MPI_Comm_set_attr(communicator, key, made.get()));
  return *made.release();
}

PrivateCommunicator::PrivateCommunicator(MPI_Comm communicator) {
  mpi::check("MPI_Comm_dup", MPI_Comm_dup(communicator, &communicator_));
  mpi::check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  rank_ = mpi::rank_in(communicator_);
  size_ = mpi::size_of(communicator_);
}

PrivateCommunicator::~PrivateCommunicator() { mpi::report("MPI_Comm_free", MPI_Comm_free(&communicator_)); }

std::byte* PrivateCommunicator::room(std::size_t bytes) {
  if (bytes > room_bytes_) {
    room_bytes_ = 0;
    room_.reset();
    room_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    room_bytes_ = bytes;
  }
  return room_.get();
}

void PrivateCommunicator::send(const void* buffer, int count, MPI_Datatype type, int to, int tag) const {
  mpi::check("MPI_Send", MPI_Send(buffer, count, type, to, tag, communicator_));
}

void PrivateCommunicator::receive(void* buffer, int count, MPI_Datatype type, int from, int tag) const {
  mpi::check("MPI_Recv", MPI_Recv(buffer, count, type, from, tag, communicator_, MPI_STATUS_IGNORE));
}

MPI_Request PrivateCommunicator::start_send(const void* buffer, int count, MPI_Datatype type, int to, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check("MPI_Isend", MPI_Isend(buffer, count, type, to, tag, communicator_, &request));
  return request;
}

MPI_Request PrivateCommunicator::start_receive(void* buffer, int count, MPI_Datatype type, int from, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check("MPI_Irecv", MPI_Irecv(buffer, count, type, from, tag, communicator_, &request));
  return request;
}

void PrivateCommunicator::copy(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                               MPI_Datatype to_type) const {
  mpi::check("MPI_Sendrecv", MPI_Sendrecv(from, from_count, from_type, rank_, 0, to, to_count, to_type, rank_, 0,
                                          communicator_, MPI_STATUS_IGNORE));
}

std::size_t wait_any(std::vector<MPI_Request>& requests) {
  int index = MPI_UNDEFINED;
  mpi::check("MPI_Waitany", MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE));
  return static_cast<std::size_t>(index);
}

void wait_all(std::span<MPI_Request> requests) {
  mpi::check("MPI_Waitall", MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

}  // namespace laxity::collective::detail
