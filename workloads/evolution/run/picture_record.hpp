// Pictures of a world at even intervals of a run whose length is not known: when the record is full, every second picture goes
// and the interval doubles.
//
// Invariants: picture number i shows each worker after i * interval updates of its own in this run, so that all workers have
// pictures of equal numbers of updates, whenever they reached them.
// Threads: take() by each worker for its own cells, in memory that the team shares; pictures() after the team has ended.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "workloads/evolution/world/world.hpp"

namespace laxity::evolution {

/// Zero if nobody lives there. Ids are the upper halves of those of the cell.
struct PicturedCell {
  std::uint32_t alive = 0;
  std::uint32_t lineage = 0;
  std::array<std::uint32_t, kin_levels> kin{};
  float stockpile = 0;
  std::uint32_t age = 0;  ///< updates
};

struct Picture {
  std::uint64_t update = 0;         ///< of the first worker
  std::vector<PicturedCell> cells;  ///< of every node of the topology
};

/// How far a worker is.
struct PictureProgress {
  std::uint32_t taken = 0;
  std::uint32_t interval = 0;  ///< updates
  std::uint32_t begin = 0;     ///< update at which the run began
};

class PictureRecord {
 public:
  /// Room for pictures of `nodes` each, zero in the beginning.
  PictureRecord(std::span<PicturedCell> room, std::uint32_t nodes) noexcept
      : room_(room), nodes_(nodes), capacity_(static_cast<std::uint32_t>(room.size() / nodes)) {}

  /// Takes a picture of the worker's cells if one is due. `progress` begins with an interval of at least 1.
  void take(const World& world, const LocalNodes& local, PictureProgress& progress) const noexcept {
    const std::uint32_t made = world.age() - progress.begin;
    if (capacity_ == 0 || made % progress.interval != 0) return;
    if (progress.taken == capacity_) {
      progress.taken = (capacity_ + 1) / 2;
      progress.interval *= 2;
      for (std::uint32_t i = 1; i < progress.taken; ++i) {
        for (const std::uint32_t node : local.nodes()) at(i, node) = at(2 * i, node);
      }
      if (made % progress.interval != 0) return;
    }
    for (std::uint32_t i = 0; i < world.cells().size(); ++i) {
      at(progress.taken, local.id(i)) = picture_of(world.cells()[i], world.age());
    }
    ++progress.taken;
  }

  /// The pictures that all workers have taken.
  [[nodiscard]] std::vector<Picture> pictures(const Partition& partition,
                                              std::span<const PictureProgress> workers) const {
    std::uint32_t interval = 1;
    std::uint64_t end = std::numeric_limits<std::uint64_t>::max();  // after the last update that all have pictures of
    for (const PictureProgress& worker : workers) {
      interval = std::max(interval, worker.interval);
      end = std::min(end, std::uint64_t{worker.taken} * worker.interval);
    }
    std::vector<Picture> all;
    for (std::uint64_t update = 0; capacity_ != 0 && update < end; update += interval) {
      Picture& picture = all.emplace_back(Picture{workers.front().begin + update, std::vector<PicturedCell>(nodes_)});
      for (std::uint32_t node = 0; node < nodes_; ++node) {
        const PictureProgress& worker = workers[partition.worker_of(node)];
        picture.cells[node] = at(static_cast<std::uint32_t>(update / worker.interval), node);
      }
    }
    return all;
  }

 private:
  [[nodiscard]] PicturedCell& at(std::uint32_t picture, std::uint32_t node) const noexcept {
    return room_[std::size_t{picture} * nodes_ + node];
  }
  [[nodiscard]] static PicturedCell picture_of(const Cell& cell, std::uint32_t update) noexcept {
    if (!cell.alive) return {};
    const auto upper = [](std::uint64_t id) { return static_cast<std::uint32_t>(id >> 32); };
    return {.alive = 1,
            .lineage = upper(cell.genome.descent.lineage),
            .kin = {upper(cell.genome.kin.ids[0]), upper(cell.genome.kin.ids[1])},
            .stockpile = static_cast<float>(cell.stockpile),
            .age = update - cell.born};
  }

  std::span<PicturedCell> room_;
  std::uint32_t nodes_;
  std::uint32_t capacity_;
};

}  // namespace laxity::evolution
