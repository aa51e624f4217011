#include "laxity/collective/algorithms/detail/reduction_steps.hpp"

#include <algorithm>
#include <cstring>

#include "laxity/mpi_call.hpp"

namespace laxity::collective::detail {

ReductionSteps::ReductionSteps(PrivateCommunicator& comm, const Reduction& reduction)
    : comm_(comm),
      reduction_(reduction),
      own_(static_cast<const std::byte*>(is_in_place() ? reduction.receive : reduction.send)) {
  mpi::check("MPI_Type_get_extent", MPI_Type_get_extent(reduction.type, &lower_bound_, &extent_));
  mpi::check("MPI_Type_get_true_extent", MPI_Type_get_true_extent(reduction.type, &true_lower_bound_, &true_extent_));
  int size = 0;
  mpi::check("MPI_Type_size", MPI_Type_size(reduction.type, &size));
  is_contiguous_ = true_lower_bound_ == 0 && size == extent_ && size == true_extent_;
}

bool ReductionSteps::is_commutative() const {
  int commutes = 0;
  mpi::check("MPI_Op_commutative", MPI_Op_commutative(reduction_.operation, &commutes));
  return commutes != 0;
}

std::size_t ReductionSteps::bytes(int elements) const noexcept {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  const MPI_Aint rest = std::max(elements - 1, 0) * std::abs(extent_);
  const auto needed = static_cast<std::size_t>(true_extent_ + rest);
  return (needed + alignment - 1) / alignment * alignment;
}

std::byte* ReductionSteps::place(std::byte* room, int elements) const noexcept {
  const MPI_Aint last = std::max(elements - 1, 0) * extent_;
  return room - (true_lower_bound_ + std::min<MPI_Aint>(last, 0));
}

void ReductionSteps::combine(const void* source, void* target, int elements) const {
  mpi::check("MPI_Reduce_local", MPI_Reduce_local(source, target, elements, reduction_.type, reduction_.operation));
}

void ReductionSteps::copy(const void* source, void* target, int elements) const {
  if (elements == 0 || source == target) return;
  if (is_contiguous_)
    std::memcpy(target, source, static_cast<std::size_t>(elements) * static_cast<std::size_t>(extent_));
  else
    comm_.copy(source, elements, reduction_.type, target, elements, reduction_.type);
}

Part part_of(int elements, int parts, int index) noexcept {
  const int share = elements / parts, rest = elements % parts;
  return {index * share + std::min(index, rest), share + (index < rest ? 1 : 0)};
}

}  // namespace laxity::collective::detail
