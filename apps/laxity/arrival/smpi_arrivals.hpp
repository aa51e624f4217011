// Collectives under arrival patterns on MPI ranks under SimGrid (SMPI), on a machine of laxity/schedule.
//
// A machine of one or two levels becomes a cluster of SimGrid: the innermost level is a host, whose ranks have a core
// each, and the outermost the network. SMPI has one overhead, that of the network here, of eager messages only, and no
// gap; the ranks of a host share its link. A message above the eager limit keeps its sender until it is there; every
// transfer starts when both ends are, without a request and an answer. SMPI's factors for messages of different sizes
// are off, so that a machine means the same as in a schedule.
// Elsewhere: the program that makes the calls (apps/smpi_ranks/collectives.cpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/laxity/launch/smpi_launcher.hpp"
#include "laxity/collective/benchmark/arrival_block.hpp"
#include "laxity/schedule/machine.hpp"

namespace laxity::cli {

/// The algorithms with a schedule that SMPI has as well, and laxity's own.
[[nodiscard]] std::vector<collective::Algorithm> smpi_algorithms(collective::Collective collective);

class SmpiArrivals {
 public:
  /// Throws UsageError if SMPI cannot simulate the machine, Error with instructions if SimGrid or the program is
  /// missing.
  SmpiArrivals(const std::filesystem::path& folder, const schedule::Machine& machine, int ranks);

  /// The simulator and its options, as text.
  [[nodiscard]] std::string command() const;

  /// Empty: Ctrl-C or SIGTERM interrupted it. Throws UsageError if the messages do not fit in memory, Error if the
  /// simulator fails.
  [[nodiscard]] std::optional<collective::BlockResult> simulate(const collective::ArrivalBlock& block) const;

 private:
  int ranks_;
  SmpiPlatform platform_;
  SmpiLauncher launcher_;
};

}  // namespace laxity::cli
