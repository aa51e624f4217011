// Checkpoints of a world: a directory from which a later run continues it.
//
// Each worker writes its part, a file; when all parts are there, a small file with the number of the checkpoint is replaced
// atomically. Parts of two checkpoints alternate, so that a complete one is there at every moment after the first.
// Format of a part: a PartHeader and the state of the worker's world (World::serialize), as this build lays it out in memory. The
// header has the version of the format, a digest of that layout, and a digest of the state; parts of another build, version or world,
// and parts that are not whole, are refused by name.
// Threads: parts by their workers; publish() by one of them, between two barriers of all.
// Elsewhere: when checkpoints are written (run/evolution_run.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "workloads/evolution/world/parameters.hpp"
#include "workloads/evolution/world/world.hpp"

namespace laxity::evolution {

/// A number that two runs share if one can continue the world of the other: parameters, seed, and whether births are recorded.
[[nodiscard]] std::uint64_t identity_of_world(const Parameters& parameters, std::uint64_t seed, bool records_births);

class CheckpointDirectory {
 public:
  /// `identity` is that of the world.
  CheckpointDirectory(std::filesystem::path path, std::uint32_t workers, std::uint64_t identity)
      : path_(std::move(path)), workers_(workers), identity_(identity) {}

  /// The number of the complete checkpoint, 0 if there is none. Throws Error if the file has something else.
  [[nodiscard]] std::uint64_t newest() const;

  /// Writes a worker's part of a checkpoint; makes the directory if necessary. Throws SystemError.
  void write(World& world, std::uint64_t number) const;
  /// Declares a checkpoint complete. False: a part is missing, as after the loss of a worker. Throws SystemError.
  [[nodiscard]] bool publish(std::uint64_t number) const;

  /// The state of a worker's part of the complete checkpoint, for read_state(). Throws Error, naming the file and what is wrong with it.
  [[nodiscard]] std::vector<std::byte> read(std::uint32_t worker) const;

 private:
  [[nodiscard]] std::filesystem::path number_file() const { return path_ / "checkpoint"; }
  [[nodiscard]] std::filesystem::path part(std::uint32_t worker, std::uint64_t number) const;

  std::filesystem::path path_;
  std::uint32_t workers_;
  std::uint64_t identity_;
};

/// Sets a world that was made with equal arguments to a state that CheckpointDirectory::read() has returned.
void read_state(World& world, std::vector<std::byte>& state);

}  // namespace laxity::evolution
