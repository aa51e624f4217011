// A cell of the world: a genome, a stockpile, and a cardinal for each neighbor.
//
// Threads: one worker.
// Elsewhere: what happens to a cell (services/), the world (world.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/evolution/cpu/virtual_cpu.hpp"
#include "workloads/evolution/genome/genome.hpp"
#include "workloads/evolution/world/quorum.hpp"
#include "workloads/evolution/world/states.hpp"

namespace laxity::evolution {

/// A message between cardinals: 40 bytes.
struct Packet {
  Tag tag;
  Registers registers;
};
static_assert(sizeof(Packet) == 40);

/// A message that waits to be sent to a neighbor.
struct SentPacket {
  struct Sender {
    std::uint32_t cell;  ///< index of the cell among those of the worker
    std::uint32_t direction;
  };
  Sender sender;
  Packet packet;
};

/// One direction of a cell.
struct Cardinal {
  explicit Cardinal(const CpuLimits& limits) : cpu(limits) { inbox.reserve(static_cast<std::size_t>(limits.cores)); }

  VirtualCpu cpu;
  CardinalState state;
  std::vector<Packet> inbox;        ///< from the other cardinals of the cell; of fixed capacity
  std::uint32_t messages_sent = 0;  ///< to the neighbor since the last birth period
};

/// What a living cell inherited, as its offspring inherit it.
struct Inheritance {
  GenomeHeader header;
  std::shared_ptr<const LoadedProgram> program;
  std::uint32_t replication_level = 0;  ///< of the birth
};

struct Cell {
  explicit Cell(const CpuLimits& limits)
      : cardinals{Cardinal(limits), Cardinal(limits), Cardinal(limits), Cardinal(limits)} {}

  static constexpr std::size_t no_parent = directions;

  bool alive = false;
  bool fragmented = false;         ///< born by the fragmentation of a kin group
  std::size_t parent = no_parent;  ///< direction of the neighbor that spawned it
  double stockpile = 0;
  std::uint32_t born = 0;  ///< update of its birth
  GenomeHeader genome;
  std::shared_ptr<const LoadedProgram> program;
  std::array<Cardinal, directions> cardinals;
  // The place on the torus, whoever lives there.
  std::array<Quorum, kin_levels> quorum;
  RoundTrips round_trips;

  [[nodiscard]] int group_size(std::size_t level) const noexcept { return alive ? quorum[level].size() : 0; }
  /// All state but the program, which must be loaded before it is read.
  void serialize(Archive& archive) {
    archive.value(alive);
    archive.value(fragmented);
    archive.value(parent);
    archive.value(stockpile);
    archive.value(born);
    archive.value(genome);
    archive.value(quorum);
    archive.value(round_trips);
    for (Cardinal& cardinal : cardinals) {
      cardinal.cpu.serialize(archive);
      archive.value(cardinal.state);
      archive.resizable(cardinal.inbox);
      archive.value(cardinal.messages_sent);
    }
  }
  [[nodiscard]] bool asks_to_die() const noexcept {
    for (const Cardinal& cardinal : cardinals) {
      if (cardinal.state.is_set(Control::apoptosis)) return true;
    }
    return false;
  }
};

}  // namespace laxity::evolution
