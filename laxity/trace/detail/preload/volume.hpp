// The number of bytes that a process sends and receives in a call, computed from the arguments.
//
// `sent` is what the process contributes, counted once wherever it is stored: with MPI_IN_PLACE it counts as if it had
// its own buffer. `received` is what the process holds as a result of the call. Arguments that MPI defines as not
// significant are not read. docs/trace_format.md has the table.
//
// There is one function per collective, with the arguments of the call. Number is int, or MPI_Count in large-count
// functions.
#pragma once

#include <cstdint>

#include "laxity/trace/detail/preload/abi.hpp"
#include "laxity/trace/detail/preload/communicators.hpp"
#include "laxity/trace/detail/preload/next.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace::preload {

/// Counts the bytes of one call.
class Volume {
 public:
  Volume(Call& call, const KnownCommunicator& communicator, const Abi& abi)
      : call_(call), communicator_(communicator), abi_(abi) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return communicator_.record.size; }
  [[nodiscard]] std::uint64_t rank() const noexcept { return communicator_.record.rank; }
  [[nodiscard]] std::uint64_t partners() const noexcept { return communicator_.partners(); }
  [[nodiscard]] std::uint64_t in_degree() const noexcept { return static_cast<std::uint64_t>(communicator_.in_degree); }
  [[nodiscard]] std::uint64_t out_degree() const noexcept {
    return static_cast<std::uint64_t>(communicator_.out_degree);
  }

  void add_sent(std::uint64_t bytes) noexcept { call_.bytes_sent += bytes; }
  void add_received(std::uint64_t bytes) noexcept { call_.bytes_received += bytes; }

  /// Whether the buffer is MPI_IN_PLACE, which is stored in the call.
  bool in_place(const void* buffer) noexcept {
    if (buffer == abi_.in_place) call_.in_place = true;
    return buffer == abi_.in_place;
  }

  /// The role of this process in a rooted operation. In an intracommunicator the root is a leaf, too.
  struct Part {
    bool root, leaf;
  };
  /// Stores the root in the call.
  Part part(int root) noexcept {
    if (!communicator_.is_inter()) {
      call_.root = root;
      return {.root = root == static_cast<int>(rank()), .leaf = true};
    }
    const bool is_root = root == abi_.root;
    const bool participates = root != abi_.proc_null;
    call_.root = is_root ? root_of_intercommunicator : participates ? root : no_part_in_intercommunicator;
    return {.root = is_root, .leaf = participates && !is_root};
  }

  /// Bytes of `count` elements. The type may be invalid if there are no elements.
  template <class Number>
  [[nodiscard]] std::uint64_t bytes(Number count, Handle type) const {
    static constinit Next<int(Handle, Count*)> type_size("MPI_Type_size_x");
    Count size = 0;
    if (count <= 0 || type_size(type, &size) != 0 || size < 0) return 0;
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  }
  /// Bytes of `number` blocks of one type.
  template <class Number>
  [[nodiscard]] std::uint64_t bytes(const Number* counts, std::uint64_t number, Handle type) const {
    Count sum = 0;
    for (std::uint64_t i = 0; i < number; ++i) sum += counts[i];
    return bytes(sum, type);
  }
  /// Bytes of `number` blocks with a type each.
  template <class Number>
  [[nodiscard]] std::uint64_t bytes(const Number* counts, std::uint64_t number, const void* types) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < number; ++i) sum += bytes(counts[i], abi_.load(types, i));
    return sum;
  }

 private:
  Call& call_;
  const KnownCommunicator& communicator_;
  const Abi& abi_;
};

inline void barrier(Volume&, Handle) {}

template <class Number>
void bcast(Volume& volume, const void*, Number count, Handle type, int root, Handle) {
  const auto part = volume.part(root);
  if (part.root) {
    volume.add_sent(volume.bytes(count, type));
  } else if (part.leaf) {
    volume.add_received(volume.bytes(count, type));
  }
}

template <class Number>
void gather(Volume& volume, const void* send, Number send_count, Handle send_type, const void*, Number receive_count,
            Handle receive_type, int root, Handle) {
  const auto part = volume.part(root);
  if (part.root) volume.add_received(volume.partners() * volume.bytes(receive_count, receive_type));
  if (!part.leaf) return;
  const bool in_place = volume.in_place(send);
  volume.add_sent(in_place ? volume.bytes(receive_count, receive_type) : volume.bytes(send_count, send_type));
}

template <class Number>
void gatherv(Volume& volume, const void* send, Number send_count, Handle send_type, const void*,
             const Number* receive_counts, const void*, Handle receive_type, int root, Handle) {
  const auto part = volume.part(root);
  if (part.root) volume.add_received(volume.bytes(receive_counts, volume.partners(), receive_type));
  if (!part.leaf) return;
  const bool in_place = volume.in_place(send);
  volume.add_sent(in_place ? volume.bytes(receive_counts[volume.rank()], receive_type)
                           : volume.bytes(send_count, send_type));
}

template <class Number>
void scatter(Volume& volume, const void*, Number send_count, Handle send_type, const void* receive,
             Number receive_count, Handle receive_type, int root, Handle) {
  const auto part = volume.part(root);
  if (part.root) volume.add_sent(volume.partners() * volume.bytes(send_count, send_type));
  if (!part.leaf) return;
  const bool in_place = volume.in_place(receive);
  volume.add_received(in_place ? volume.bytes(send_count, send_type) : volume.bytes(receive_count, receive_type));
}

template <class Number>
void scatterv(Volume& volume, const void*, const Number* send_counts, const void*, Handle send_type,
              const void* receive, Number receive_count, Handle receive_type, int root, Handle) {
  const auto part = volume.part(root);
  if (part.root) volume.add_sent(volume.bytes(send_counts, volume.partners(), send_type));
  if (!part.leaf) return;
  const bool in_place = volume.in_place(receive);
  volume.add_received(in_place ? volume.bytes(send_counts[volume.rank()], send_type)
                               : volume.bytes(receive_count, receive_type));
}

template <class Number>
void allgather(Volume& volume, const void* send, Number send_count, Handle send_type, const void*, Number receive_count,
               Handle receive_type, Handle) {
  const std::uint64_t block = volume.bytes(receive_count, receive_type);
  volume.add_sent(volume.in_place(send) ? block : volume.bytes(send_count, send_type));
  volume.add_received(volume.partners() * block);
}

template <class Number>
void allgatherv(Volume& volume, const void* send, Number send_count, Handle send_type, const void*,
                const Number* receive_counts, const void*, Handle receive_type, Handle) {
  volume.add_sent(volume.in_place(send) ? volume.bytes(receive_counts[volume.rank()], receive_type)
                                        : volume.bytes(send_count, send_type));
  volume.add_received(volume.bytes(receive_counts, volume.partners(), receive_type));
}

template <class Number>
void alltoall(Volume& volume, const void* send, Number send_count, Handle send_type, const void*, Number receive_count,
              Handle receive_type, Handle) {
  const std::uint64_t received = volume.partners() * volume.bytes(receive_count, receive_type);
  volume.add_sent(volume.in_place(send) ? received : volume.partners() * volume.bytes(send_count, send_type));
  volume.add_received(received);
}

template <class Number>
void alltoallv(Volume& volume, const void* send, const Number* send_counts, const void*, Handle send_type, const void*,
               const Number* receive_counts, const void*, Handle receive_type, Handle) {
  const std::uint64_t received = volume.bytes(receive_counts, volume.partners(), receive_type);
  volume.add_sent(volume.in_place(send) ? received : volume.bytes(send_counts, volume.partners(), send_type));
  volume.add_received(received);
}

template <class Number>
void alltoallw(Volume& volume, const void* send, const Number* send_counts, const void*, const void* send_types,
               const void*, const Number* receive_counts, const void*, const void* receive_types, Handle) {
  const std::uint64_t received = volume.bytes(receive_counts, volume.partners(), receive_types);
  volume.add_sent(volume.in_place(send) ? received : volume.bytes(send_counts, volume.partners(), send_types));
  volume.add_received(received);
}

template <class Number>
void reduce(Volume& volume, const void* send, const void*, Number count, Handle type, Handle, int root, Handle) {
  const auto part = volume.part(root);
  if (part.root) volume.add_received(volume.bytes(count, type));
  if (!part.leaf) return;
  volume.in_place(send);
  volume.add_sent(volume.bytes(count, type));
}

template <class Number>
void allreduce(Volume& volume, const void* send, const void*, Number count, Handle type, Handle, Handle) {
  volume.in_place(send);
  volume.add_sent(volume.bytes(count, type));
  volume.add_received(volume.bytes(count, type));
}

template <class Number>
void reduce_scatter(Volume& volume, const void* send, const void*, const Number* counts, Handle type, Handle, Handle) {
  volume.in_place(send);
  volume.add_sent(volume.bytes(counts, volume.size(), type));
  volume.add_received(volume.bytes(counts[volume.rank()], type));
}

template <class Number>
void reduce_scatter_block(Volume& volume, const void* send, const void*, Number count, Handle type, Handle, Handle) {
  volume.in_place(send);
  volume.add_sent(volume.size() * volume.bytes(count, type));
  volume.add_received(volume.bytes(count, type));
}

template <class Number>
void scan(Volume& volume, const void* send, const void* receive, Number count, Handle type, Handle operation,
          Handle communicator) {
  allreduce(volume, send, receive, count, type, operation, communicator);
}

template <class Number>
void exscan(Volume& volume, const void* send, const void*, Number count, Handle type, Handle, Handle) {
  volume.in_place(send);
  volume.add_sent(volume.bytes(count, type));
  if (volume.rank() != 0) volume.add_received(volume.bytes(count, type));
}

template <class Number>
void neighbor_allgather(Volume& volume, const void*, Number send_count, Handle send_type, const void*,
                        Number receive_count, Handle receive_type, Handle) {
  volume.add_sent(volume.bytes(send_count, send_type));
  volume.add_received(volume.in_degree() * volume.bytes(receive_count, receive_type));
}

template <class Number>
void neighbor_allgatherv(Volume& volume, const void*, Number send_count, Handle send_type, const void*,
                         const Number* receive_counts, const void*, Handle receive_type, Handle) {
  volume.add_sent(volume.bytes(send_count, send_type));
  volume.add_received(volume.bytes(receive_counts, volume.in_degree(), receive_type));
}

template <class Number>
void neighbor_alltoall(Volume& volume, const void*, Number send_count, Handle send_type, const void*,
                       Number receive_count, Handle receive_type, Handle) {
  volume.add_sent(volume.out_degree() * volume.bytes(send_count, send_type));
  volume.add_received(volume.in_degree() * volume.bytes(receive_count, receive_type));
}

template <class Number>
void neighbor_alltoallv(Volume& volume, const void*, const Number* send_counts, const void*, Handle send_type,
                        const void*, const Number* receive_counts, const void*, Handle receive_type, Handle) {
  volume.add_sent(volume.bytes(send_counts, volume.out_degree(), send_type));
  volume.add_received(volume.bytes(receive_counts, volume.in_degree(), receive_type));
}

template <class Number>
void neighbor_alltoallw(Volume& volume, const void*, const Number* send_counts, const void*, const void* send_types,
                        const void*, const Number* receive_counts, const void*, const void* receive_types, Handle) {
  volume.add_sent(volume.bytes(send_counts, volume.out_degree(), send_types));
  volume.add_received(volume.bytes(receive_counts, volume.in_degree(), receive_types));
}

}  // namespace laxity::trace::preload
