// What disturbs a program on all hosts that its ranks run on.
//
// Ranks that see the same machine, which they tell by its clock, are one host here: emulated hosts too, and ranks that were
// told to use messages only, because their processor time is that of the program and not of others.
// Threads: one of each rank.
// Elsewhere: measuring one machine (laxity/metrics/disturbance.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "laxity/launch/ranks.hpp"
#include "laxity/metrics/disturbance.hpp"

namespace laxity::cli {

class HostDisturbances {
 public:
  /// Collective: every rank gets the bytes of all ranks in order, the same number from each.
  using Allgather = std::function<void(std::span<const std::byte> mine, std::span<std::byte> of_all)>;

  /// Measures from here on. Collective over all ranks; nullptr: a single process.
  explicit HostDisturbances(Ranks* ranks);
  HostDisturbances(int rank, int ranks, Allgather allgather);

  /// By host, in the order of their lowest ranks. Collective over all ranks, unless one was lost; then this host only.
  [[nodiscard]] std::vector<Disturbance> since_begin() const;

 private:
  [[nodiscard]] DisturbanceMeter meter_of_this_host();
  template <class T>
  [[nodiscard]] std::vector<T> of_all_ranks(const T& mine) const;

  Ranks* team_ = nullptr;  // to know whether a rank was lost
  std::size_t rank_ = 0;
  std::size_t ranks_ = 1;
  Allgather allgather_;
  std::vector<std::size_t> leaders_;  // of each rank: the lowest rank of its host
  DisturbanceMeter meter_;            // of the processors that all ranks of this host may use
};

}  // namespace laxity::cli
