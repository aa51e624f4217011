// A Fourier transform with each algorithm of its all-to-all exchanges, beside the run times that were predicted from
// one traced run and a benchmark.
//
// For each number of processes and division of the box, in folders of the run directory: trace the program with the
// library's own choice; measure the traced sizes under arrival patterns (`laxity arrival --for`); predict; then run the
// program with each algorithm, in turns, under the tracer, which measures the run time and tells the forced algorithm.
// Invariants: predictions are made before the first run that they are compared with. What is done is not done again.
//
//
// Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival
//   patterns, section V, figures 7 to 9.
// Elsewhere: the command line (options.cpp), the program (apps/transpose_fft), the prediction
//   (laxity/trace/analysis/prediction.hpp), the page (python/src/laxity/studies/fft).
#pragma once

#include <string>
#include <vector>

namespace laxity::cli {

struct FftOptions {
  std::vector<int> processes{2, 4};
  std::vector<std::string> decompositions{"slab"};
  std::string size = "W";  ///< class of NAS FT: S, W or A
  int steps = 20;
  int replicates = 7;
  std::vector<std::string> patterns;  ///< besides no_delay; all if empty
  std::string output;
  bool report = false;
  bool quiet = false;
  int argc = 0;
  const char* const* argv = nullptr;
};

/// Runs what is not done yet, writes the run directory, and the report if asked for. Returns the exit code. Throws
/// Error if a run fails or the program of the transform is missing.
int run_fft_study(FftOptions options);

}  // namespace laxity::cli
