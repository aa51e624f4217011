// A reduction of elements of any datatype: where they lie, and how they are combined and copied.
//
// Threads: as PrivateCommunicator.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "laxity/collective/algorithms/detail/private_communicator.hpp"
#include "laxity/collective/algorithms/own_collectives.hpp"

namespace laxity::collective::detail {

class ReductionSteps {
 public:
  /// Both must outlive this object.
  ReductionSteps(PrivateCommunicator& comm, const Reduction& reduction);

  [[nodiscard]] bool is_commutative() const;
  /// This process's contribution.
  [[nodiscard]] const std::byte* own() const noexcept { return own_; }
  [[nodiscard]] std::byte* result() const noexcept { return static_cast<std::byte*>(reduction_.receive); }
  [[nodiscard]] bool is_in_place() const noexcept { return reduction_.send == MPI_IN_PLACE; }
  [[nodiscard]] int count() const noexcept { return reduction_.count; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return reduction_.type; }
  [[nodiscard]] std::ptrdiff_t extent() const noexcept { return extent_; }

  /// Bytes of room for some elements, and the address in it at which MPI finds the first one.
  [[nodiscard]] std::size_t bytes(int elements) const noexcept;
  [[nodiscard]] std::byte* place(std::byte* room, int elements) const noexcept;

  /// target = source op target, element by element.
  void combine(const void* source, void* target, int elements) const;
  void copy(const void* source, void* target, int elements) const;

 private:
  PrivateCommunicator& comm_;
  const Reduction& reduction_;
  const std::byte* own_;
  MPI_Aint lower_bound_ = 0, extent_ = 0, true_lower_bound_ = 0, true_extent_ = 0;
  bool is_contiguous_ = false;
};

/// A part of a vector that is divided evenly; the first parts have one element more.
struct Part {
  int begin;
  int count;
};
[[nodiscard]] Part part_of(int elements, int parts, int index) noexcept;

}  // namespace laxity::collective::detail
