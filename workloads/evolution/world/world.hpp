// The cells of one worker of a world, and an update of them.
//
// Source: DISHTINY (Moreno and Ofria, Artificial Life 25, 2019), as Moreno et al., Best-effort communication improves
//   performance and scales robustly on conventional hardware, II-A, run it on a best-effort mesh.
// A cell interacts with its four neighbors through mesh layers only, whichever worker they belong to. Cells, and the cardinals
// of a cell, are updated in random order.
// Invariants: equal arguments give equal worlds, bit by bit, as long as equal messages arrive; the resource account closes.
// Threads: a World belongs to one worker.
// Elsewhere: what happens in an update (services/), the layers (layers.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/mesh/connector.hpp"
#include "workloads/evolution/world/cell.hpp"
#include "workloads/evolution/world/layers.hpp"
#include "workloads/evolution/world/parameters.hpp"
#include "workloads/evolution/world/resource_account.hpp"
#include "workloads/evolution/world/services/context.hpp"
#include "workloads/evolution/world/services/diversity.hpp"

namespace laxity::evolution {

/// The cells of a worker at one moment. Means are over living cells, 0 if there are none.
struct Census {
  std::uint64_t living = 0;
  double stockpile = 0;                         ///< mean
  double program_length = 0;                    ///< mean
  std::array<double, kin_levels> group_size{};  ///< mean, as cells estimate it
  double generations = 0;                       ///< mean number of births since the first ancestor
};

class World {
 public:
  /// Every cell lives, in groups and of a lineage of its own, with the program and tags of a random one of the ancestors, or with
  /// random ones if there is none: a function of the seed and of the worker's number.
  World(const EvolutionMesh& mesh, Connector& connector, const Parameters& parameters, std::uint64_t seed,
        const std::vector<Genome>& ancestors = {}, BirthRecord births = {});
  /// Which of the ancestors given to the constructor a cell descends from, its number modulo 256.
  [[nodiscard]] static std::size_t ancestor_of(const Descent& descent) noexcept { return descent.lineage & 0xff; }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void update();

  /// All state between two updates, into a world that was made with equal arguments; but nothing that is on its way to or
  /// from another worker.
  void serialize(Archive& archive);

  [[nodiscard]] auto& part() noexcept { return part_; }
  [[nodiscard]] const std::vector<Cell>& cells() const noexcept { return cells_; }
  [[nodiscard]] const ResourceAccount& account() const noexcept { return context_.account; }
  [[nodiscard]] const Tallies& tallies() const noexcept { return context_.tallies; }
  [[nodiscard]] const BirthRecord& births() const noexcept { return context_.births; }
  /// Updates done.
  [[nodiscard]] std::uint32_t age() const noexcept { return context_.update; }
  [[nodiscard]] Census census() const noexcept;
  /// The sum of all stockpiles.
  [[nodiscard]] double stock() const noexcept;
  /// A digest of all cells: genomes, stockpiles, states and kin-group sizes.
  [[nodiscard]] std::uint64_t hash() const noexcept;

 private:
  [[nodiscard]] Inheritance first_genome(const std::vector<Genome>& ancestors);
  using Part = decltype(std::declval<const EvolutionMesh&>().part(std::declval<Connector&>()));
  void serialize_programs(Archive& archive);
  template <class Node>
  void update_cell(const Node& node);
  template <class Node>
  void live(const Node& node, Cell& cell, const NeighborStates& neighbors);
  template <class Node>
  void count_kin(const Node& node, Cell& cell, const NeighborStates& neighbors);
  template <class Node>
  void bear(const Node& node, Cell& cell);
  template <class Node>
  void start_cores(const Node& node, Cell& cell, const NeighborStates& neighbors);
  template <class Node>
  void execute(const Node& node, Cell& cell, const NeighborStates& neighbors);
  template <class Node>
  void send_states(const Node& node, const Cell& cell);
  void send_messages();

  Parameters parameters_;
  Part part_;
  ServiceContext context_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> order_;
  std::vector<SentPacket> sent_;  // to neighbors, since the last birth period
  Diversity diversity_;
};

}  // namespace laxity::evolution
