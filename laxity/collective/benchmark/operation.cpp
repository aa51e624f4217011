#include "laxity/collective/benchmark/operation.hpp"

#include <algorithm>
#include <cstring>

#include "laxity/collective/algorithms/own_collectives.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

constexpr int root = 0;

std::size_t width_for(std::size_t bytes) { return bytes % sizeof(std::uint32_t) == 0 ? sizeof(std::uint32_t) : 1; }

int count_for(std::size_t bytes, std::size_t width) {
  constexpr std::size_t largest = std::size_t{1} << 30;
  if (bytes > largest) {
    throw UsageError("bytes = " + std::to_string(bytes) + ": a message has at most " + std::to_string(largest) +
                     " bytes");
  }
  return static_cast<int>(bytes / width);
}

// Stores element i with a width of 1 or 4 bytes. Values of one-byte elements are below 256.
void store(std::vector<std::byte>& buffer, std::size_t i, std::size_t width, std::uint32_t value) {
  const auto low = static_cast<std::uint8_t>(value);
  std::memcpy(buffer.data() + i * width, width == 1 ? static_cast<const void*>(&low) : &value, width);
}

bool holds(const std::vector<std::byte>& buffer, std::size_t i, std::size_t width, std::uint32_t value) {
  const auto low = static_cast<std::uint8_t>(value);
  return std::memcmp(buffer.data() + i * width, width == 1 ? static_cast<const void*>(&low) : &value, width) == 0;
}

bool is_reduction(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::reduce ||
         collective == Collective::reduce_scatter;
}

}  // namespace

Operation::Operation(Collective collective, std::size_t bytes, MPI_Comm communicator)
    : collective_(collective),
      type_(width_for(bytes) == 1 ? MPI_UINT8_T : MPI_UINT32_T),
      width_(width_for(bytes)),
      count_(count_for(bytes, width_)) {
  rank_ = mpi::rank_in(communicator);
  processes_ = mpi::size_of(communicator);
  counts_.assign(static_cast<std::size_t>(processes_), count_);
  const std::size_t whole = bytes * (has_block_per_process(collective) ? static_cast<std::size_t>(processes_) : 1);
  sending_.resize(whole);
  receiving_.resize(whole);
}

// The value differs between positions, processes and rounds. Sums of one-byte values stay below 256, since overflow is
// not portable (Open MPI's vector code saturates, its scalar code wraps around).
std::uint32_t Operation::sent(int source, int target, std::size_t i, std::uint32_t round) const noexcept {
  const std::uint32_t value = 1 + static_cast<std::uint32_t>(source) * 31 + static_cast<std::uint32_t>(target) * 7 +
                              static_cast<std::uint32_t>(i) * 3 + round * 101;
  return width_ == 1 ? value % (255U / static_cast<std::uint32_t>(processes_) + 1) : value;
}

void Operation::fill(std::uint32_t round) noexcept {
  std::fill(receiving_.begin(), receiving_.end(), std::byte{0xee});
  const auto count = static_cast<std::size_t>(count_);
  const std::size_t elements = sending_.size() / width_;
  for (std::size_t i = 0; i < elements; ++i) {
    store(sending_, i, width_, sent(rank_, static_cast<int>(i / count), i % count, round));
  }
  if (collective_ == Collective::bcast && rank_ == root) receiving_ = sending_;
}

mpi::Result Operation::run_own(MPI_Comm communicator, OwnAlgorithm algorithm) noexcept {
  const Reduction reduction{sending_.data(), receiving_.data(), count_, type_, MPI_SUM};
  if (collective_ == Collective::reduce) return own_reduce(algorithm, reduction, root, communicator);
  if (collective_ == Collective::allreduce) return own_allreduce(algorithm, reduction, communicator);
  return own_alltoall(algorithm, {sending_.data(), count_, type_, receiving_.data(), count_, type_}, communicator);
}

mpi::Result Operation::run(MPI_Comm communicator, int algorithm) noexcept {
  if (is_own(algorithm)) return run_own(communicator, OwnAlgorithm{algorithm});
  switch (collective_) {
    case Collective::allgather:
      return {"MPI_Allgather",
              MPI_Allgather(sending_.data(), count_, type_, receiving_.data(), count_, type_, communicator)};
    case Collective::allreduce:
      return {"MPI_Allreduce", MPI_Allreduce(sending_.data(), receiving_.data(), count_, type_, MPI_SUM, communicator)};
    case Collective::alltoall:
      return {"MPI_Alltoall",
              MPI_Alltoall(sending_.data(), count_, type_, receiving_.data(), count_, type_, communicator)};
    case Collective::barrier:
      return {"MPI_Barrier", MPI_Barrier(communicator)};
    case Collective::bcast:
      return {"MPI_Bcast", MPI_Bcast(receiving_.data(), count_, type_, root, communicator)};
    case Collective::gather:
      return {"MPI_Gather",
              MPI_Gather(sending_.data(), count_, type_, receiving_.data(), count_, type_, root, communicator)};
    case Collective::reduce:
      return {"MPI_Reduce", MPI_Reduce(sending_.data(), receiving_.data(), count_, type_, MPI_SUM, root, communicator)};
    case Collective::reduce_scatter:
      return {"MPI_Reduce_scatter",
              MPI_Reduce_scatter(sending_.data(), receiving_.data(), counts_.data(), type_, MPI_SUM, communicator)};
    case Collective::scatter:
      return {"MPI_Scatter",
              MPI_Scatter(sending_.data(), count_, type_, receiving_.data(), count_, type_, root, communicator)};
  }
  return {"Operation::run", MPI_ERR_OTHER};
}

bool Operation::receives() const noexcept {
  if (collective_ == Collective::barrier) return false;
  return rank_ == root || (collective_ != Collective::gather && collective_ != Collective::reduce);
}

// Element i of the correct result of this process.
std::uint32_t Operation::expected(std::size_t i, std::uint32_t round) const noexcept {
  const auto count = static_cast<std::size_t>(count_);
  const auto block = static_cast<int>(i / count);
  if (is_reduction(collective_)) {
    const int target = collective_ == Collective::reduce_scatter ? rank_ : 0;
    std::uint32_t sum = 0;
    for (int source = 0; source < processes_; ++source) sum += sent(source, target, i % count, round);
    return sum;
  }
  if (collective_ == Collective::alltoall) return sent(block, rank_, i % count, round);
  if (collective_ == Collective::scatter) return sent(root, rank_, i % count, round);
  if (collective_ == Collective::bcast) return sent(root, 0, i, round);
  return sent(block, 0, i % count, round);  // allgather, gather: every process sends its first block
}

bool Operation::is_correct(std::uint32_t round) const noexcept {
  if (!receives()) return true;
  const bool one_block = collective_ == Collective::reduce_scatter || collective_ == Collective::scatter;
  const std::size_t elements = one_block ? static_cast<std::size_t>(count_) : receiving_.size() / width_;
  for (std::size_t i = 0; i < elements; ++i) {
    if (!holds(receiving_, i, width_, expected(i, round))) return false;
  }
  return true;
}

}  // namespace laxity::collective
