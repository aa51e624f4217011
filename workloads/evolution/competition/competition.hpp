// Which of two genomes leaves more descendants, in worlds that both start in equal parts.
//
// A world is one worker; each cell starts with one of the two genomes, at random. The fitness of the first genome relative to the
// second is the factor by which the ratio of their numbers grows until the end. A number of 0 counts as a half, so that the
// logarithm of the ratio is finite (Haldane, Annals of Human Genetics 20, 1956). Worlds are independent, so the interval of the
// mean logarithm is Student's.
// Threads: run_competition() makes its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "laxity/student.hpp"
#include "workloads/evolution/genome/genome.hpp"
#include "workloads/evolution/world/parameters.hpp"

namespace laxity::evolution {

struct CompetitionOptions {
  Parameters parameters;
  std::array<Genome, 2> genomes;
  std::uint32_t updates = 1000;
  int replicates = 10;
  std::uint64_t seed = 1;  ///< of the first world; the others use the following ones
  int threads = 1;
};

/// One world. Numbers of living cells that descend from each genome.
struct CompetitionTrial {
  std::uint64_t seed = 0;
  std::array<std::uint64_t, 2> begin{};
  std::array<std::uint64_t, 2> end{};

  /// ln of (end of the first / end of the second) / (begin of the first / begin of the second).
  [[nodiscard]] double log_ratio() const noexcept;
};

struct CompetitionResult {
  std::vector<CompetitionTrial> trials;  ///< in the order of their seeds
  MeanInterval log_ratio;
};

enum class Fitter : std::uint8_t { first, second, cannot_be_told };
/// The genome whose advantage the whole interval shows.
[[nodiscard]] Fitter fitter(const CompetitionResult& result) noexcept;

/// The same for the same options, whatever the number of threads. `progress` is called with the fraction done, by one thread at a
/// time. Throws UsageError for parameters out of range and genomes that are too long.
[[nodiscard]] CompetitionResult run_competition(const CompetitionOptions& options,
                                                const std::function<void(double)>& progress = {});

}  // namespace laxity::evolution
