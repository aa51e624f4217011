// The loop over several parts per worker, in a translation unit of its own (see coloring_worker.hpp).
#include "workloads/coloring/coloring_worker.hpp"

namespace laxity {

void color_in_parts(const ColoringRun& run, const Mesh<StateLayer<NodeColor>>& mesh, const ColoringResults& results,
                    Worker& worker) {
  ColoringWorker<StateLayer<NodeColor>>(run, mesh, results, worker).work_on_parts();
}

}  // namespace laxity
