// The run time that a traced program would have with each algorithm of one collective.
//
// The run time of a process consists of the last delays of the calls, and of everything else: computation, other
// collectives, and waiting for the last process to arrive. Only the last delays depend on the algorithm, so
//   predicted run time = everything else + sum over the calls of the last delay of the algorithm,
// where the last delays come from a benchmark: without delay (naive), as the mean over all measured arrival patterns
// (robust), or under the measured condition that is nearest to each traced call. In the traced run, the last delay of
// a process is its time in the call after the last arrival. All times are means over the processes.
//
// Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival
// patterns, section V (figure 9). There, computation alone is added to the last delays; here waiting is added too,
// because a better algorithm does not make late processes arrive earlier.
// Threads: pure functions. Elsewhere: conditions of calls (conditions.hpp), measurements
// (laxity/collective/selection/arrival_table.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/selection/arrival_table.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

/// Predicted run times of the program with one algorithm, in seconds.
struct PredictedRunTime {
  collective::Algorithm algorithm;  ///< id 0 is the library's own choice
  double no_delay_s = 0;            ///< from the measurements without delay
  double robust_s = 0;              ///< from the means over all measured patterns
  double traced_s = 0;              ///< from the measured conditions nearest to the traced calls
};

struct RunTimePrediction {
  std::size_t calls = 0;                     ///< of the collective
  double traced_s = 0;                       ///< run time in the trace, between MPI_Init and MPI_Finalize
  double other_s = 0;                        ///< the part of it that does not depend on the algorithm
  std::vector<PredictedRunTime> algorithms;  ///< by number, as far as they can be compared
};

/// The prediction for the blocking calls of one collective. Algorithms are compared under the conditions that all of
/// them share, without those that were measured under less than half of all conditions of a size. The trace must be of
/// the library's own choice, since the conditions of its calls are taken as they are. Throws UsageError if the trace has
/// no such call, or if a call is of a size that was not measured, or too seldom for an interval.
[[nodiscard]] RunTimePrediction predict_run_time(const Job& job, collective::Collective collective,
                                                 const std::vector<collective::Measurement>& measurements);

}  // namespace laxity::trace
