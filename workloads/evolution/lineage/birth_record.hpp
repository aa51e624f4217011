// A record of all births and deaths of one worker's cells, from which the phylogeny of a world follows.
//
// Cells are numbered over all workers without communication: the n-th birth of a worker has number n * workers + worker + 1. A
// genome carries the number of its cell to its offspring, on whichever worker that is born.
// Threads: one worker.
// Elsewhere: the records of all workers as one table (apps/laxity/evolve/phylogeny_table.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "laxity/mesh/migration/archive.hpp"
#include "workloads/evolution/genome/genome.hpp"

namespace laxity::evolution {

class BirthRecord {
 public:
  static constexpr std::uint32_t living = std::numeric_limits<std::uint32_t>::max();

  struct Birth {
    std::uint64_t parent = 0;  ///< number of the parent; 0: none, a first ancestor
    std::uint32_t update = 0;
    std::uint32_t death = living;  ///< update of the death
  };

  /// Keeps nothing.
  BirthRecord() = default;
  /// Keeps everything, of a worker of a team of `workers`.
  BirthRecord(std::uint32_t worker, std::uint32_t workers) noexcept : worker_(worker), workers_(workers) {}

  /// Gives a number to a cell that has inherited the descent of its parent. Allocates now and then.
  void add(Descent& newborn, std::uint32_t update) {
    if (workers_ == 0) return;
    births_.push_back({.parent = newborn.individual, .update = update});
    newborn.individual = number_of(births_.size() - 1);
  }
  void end(const Descent& dead, std::uint32_t update) noexcept {
    if (workers_ != 0) births_[(dead.individual - 1) / workers_].death = update;
  }

  void serialize(Archive& archive) { archive.resizable(births_); }

  /// In the order of birth.
  [[nodiscard]] std::span<const Birth> births() const noexcept { return births_; }
  [[nodiscard]] std::uint64_t number_of(std::size_t birth) const noexcept {
    return std::uint64_t{birth} * workers_ + worker_ + 1;
  }

 private:
  std::uint32_t worker_ = 0, workers_ = 0;
  std::vector<Birth> births_;
};

}  // namespace laxity::evolution
