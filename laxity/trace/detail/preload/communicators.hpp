// The communicators of a process, under names that mean the same in all their processes.
//
// MPI gives a communicator no such name, and the tracer sends no message to agree on one. The name is made of what all
// members know alike: their ranks in MPI_COMM_WORLD in order, the communicator that it was made from, and how many
// communicators of the same members had been made from it before. Where the making was not seen (MPI_Comm_idup, processes
// that were spawned or have connected) the first collective call stands for it. Two of those of the same members, first
// used in a different order by different processes, would be confused.
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
  std::uint64_t calls = 0;            ///< collective calls so far, persistent operations left out
  std::uint64_t persistent = 0;       ///< persistent operations made so far
  int in_degree = 0, out_degree = 0;  ///< of this process in the communicator's topology

  [[nodiscard]] bool is_inter() const noexcept { return record.remote_size != 0; }
  /// Processes that this one exchanges data with in an operation of all.
  [[nodiscard]] std::uint64_t partners() const noexcept { return is_inter() ? record.remote_size : record.size; }
};

class Communicators {
 public:
  explicit Communicators(const Abi& abi) : abi_(abi) {}

  /// Null if it is not known yet. What is found stays in place until it is forgotten.
  [[nodiscard]] KnownCommunicator* find(Handle communicator) noexcept {
    communicator = abi_.narrow(communicator);
    if (communicator == last_handle_ && last_ != nullptr) return last_;
    const auto found = known_.find(communicator);
    if (found == known_.end()) return nullptr;
    last_handle_ = communicator;
    return last_ = &found->second;
  }

  /// Asks MPI about it. `parent` is 0 if it was not seen being made. Null if MPI refuses.
  KnownCommunicator* add(Handle communicator, Handle parent);

  /// A count of its own for a persistent operation, the `sequence`-th on the communicator of index `of`: its record.
  Communicator add_line(std::uint32_t of, std::uint64_t sequence);
  [[nodiscard]] std::uint32_t last_index() const noexcept { return next_index_ - 1; }

  /// It was freed; another one may get its handle.
  void forget(Handle communicator);

 private:
  const Abi& abi_;
  std::unordered_map<Handle, KnownCommunicator> known_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> made_;  // from parent, of members: how many
  std::map<std::uint32_t, Communicator> records_;                          // by index in the file
  std::uint32_t next_index_ = 0;
  Handle last_handle_ = 0;
  KnownCommunicator* last_ = nullptr;
};

}  // namespace laxity::trace::preload
