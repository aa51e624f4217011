// The treatments of the study of Time Warp: which runs of PHOLD each figure compares.
//
// Source: the figures of D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded
// optimistic parallel simulations (SIGSIM-PADS 2018): 4 (queues), 5 and 9 (adaptive window), 7 (exchanges), 10 (config
// 1) and 14 (config 2), with threads in the four configurations of 10 and 14 on their own.
// Elsewhere: the command line (options.cpp), how a study runs (phold/run.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/phold/tables.hpp"

namespace laxity::cli {

struct TimewarpStudyOptions {
  std::vector<std::string> figures{"queues", "optimism", "exchange", "events", "range", "remote"};
  int workers = 2;
  std::int64_t lps = 10'000;
  std::int64_t events_per_lp = 20;
  double events = 3e6;  ///< of a run, about
  std::uint64_t seed = 1;
};

/// The runs of each figure, in both shapes of PHOLD. Every figure is a name of the list above; there are at least 10
/// logical processes and at most as many workers.
[[nodiscard]] std::vector<PholdTreatment> treatments_of(const TimewarpStudyOptions& options);

}  // namespace laxity::cli
