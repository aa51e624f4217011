// The experiments of best-effort communication: which treatments each compares, in which sizes.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance ...", II-C (performance),
// III-C (work), III-E (threads against processes), III-F (weak scaling), III-G (a faulty host).
// Elsewhere: the options (options.cpp), how treatments are run (color/run.hpp), what is made of the results
// (python/src/laxity/studies/best_effort).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/color/study.hpp"

namespace laxity::cli {

/// How large an experiment is. Empty lists and zeros stand for what the experiment takes by itself.
struct ExperimentSize {
  std::vector<int> workers;
  std::vector<std::string> teams;     ///< "threads", "processes", "ranks"
  std::vector<std::uint32_t> nodes;   ///< of each worker
  std::vector<std::uint64_t> units;   ///< of work added to each update
  std::vector<int> hosts;             ///< 1: this one; 2: MPI ranks on two hosts
  std::int64_t pause_ns = 1'000'000;  ///< by which a slow worker takes longer, and messages over a bad link
  int replicates = 0;
  double duration_s = 0;
  double window_s = 0;
  double interval_s = 0;
  bool paper = false;     ///< sizes of the paper
  bool replayed = false;  ///< virtual workers in one thread, any number
};

struct Experiment {
  const char* name;
  const char* question;
  const char* example;
  bool can_be_replayed;
  /// Replicates, durations and treatments. Throws UsageError for a size that makes no sense.
  ColorStudy (*study_of)(const ExperimentSize& size);
};

[[nodiscard]] const std::vector<Experiment>& experiments();

}  // namespace laxity::cli
