// The communicators of a process, with ids that are the same in all processes of a communicator.
//
// MPI has no such id, and the tracer sends no message to agree on one. The id is a hash of what all members know: their
// ranks in MPI_COMM_WORLD, the id of the parent communicator, and the number of earlier communicators with the same
// parent and members. Where the creation is not intercepted (MPI_Comm_idup, spawned or connected processes), the first
// collective call takes its place. Two such communicators of the same members are confused if processes first use them
// in different orders.
//
// Threads: the recorder's lock is held.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "laxity/trace/detail/preload/abi.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace::preload {

struct KnownCommunicator {
  Communicator record;
  std::uint32_t index = 0;            ///< of its record in the file
  std::uint64_t calls = 0;            ///< number of collective calls, without persistent operations
  std::uint64_t persistent = 0;       ///< number of persistent operations
  int in_degree = 0, out_degree = 0;  ///< of this process in the communicator's topology

  [[nodiscard]] bool is_inter() const noexcept { return record.remote_size != 0; }
  /// Number of processes that this one exchanges data with in an all-to-all operation.
  [[nodiscard]] std::uint64_t partners() const noexcept { return is_inter() ? record.remote_size : record.size; }
};

class Communicators {
 public:
  explicit Communicators(const Abi& abi) : abi_(abi) {}

  /// Null if it is not known yet. The result is valid until the communicator is removed.
  [[nodiscard]] KnownCommunicator* find(Handle communicator) noexcept {
    communicator = abi_.narrow(communicator);
    if (communicator == last_handle_ && last_ != nullptr) return last_;
    const auto found = known_.find(communicator);
    if (found == known_.end()) return nullptr;
    last_handle_ = communicator;
    return last_ = &found->second;
  }

  /// Queries MPI about a new communicator. `parent` is 0 if its creation was not intercepted. Null if a query fails.
  KnownCommunicator* add(Handle communicator, Handle parent);

  /// Adds a record with a sequence of its own for a persistent operation, the `sequence`-th on the communicator of
  /// index `of`, and returns it.
  Communicator add_persistent_operation(std::uint32_t of, std::uint64_t sequence);
  [[nodiscard]] std::uint32_t last_index() const noexcept { return next_index_ - 1; }

  /// To be called when a communicator is freed: its handle may be used again.
  void remove(Handle communicator);

 private:
  const Abi& abi_;
  std::unordered_map<Handle, KnownCommunicator> known_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> created_;  // number by parent and members
  std::map<std::uint32_t, Communicator> records_;                             // by index in the file
  std::uint32_t next_index_ = 0;
  Handle last_handle_ = 0;
  KnownCommunicator* last_ = nullptr;
};

}  // namespace laxity::trace::preload
