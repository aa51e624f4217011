#include "laxity/collective/own_algorithms.hpp"

namespace laxity::collective {

std::vector<Algorithm> own_algorithms(Collective collective) {
  const auto algorithm = [](OwnAlgorithm own, const char* name) { return Algorithm{static_cast<int>(own), name}; };
  const Algorithm arrival_order = algorithm(OwnAlgorithm::arrival_order, "laxity_arrival_order");
  const Algorithm rank_order = algorithm(OwnAlgorithm::rank_order, "laxity_rank_order");
  const Algorithm reduce_scatter = algorithm(OwnAlgorithm::reduce_scatter, "laxity_reduce_scatter");
  const Algorithm ring = algorithm(OwnAlgorithm::pre_reduced_ring, "laxity_pre_reduced_ring");
  if (collective == Collective::reduce) return {arrival_order, rank_order, reduce_scatter};
  if (collective == Collective::allreduce) return {arrival_order, rank_order, reduce_scatter, ring};
  if (collective == Collective::alltoall) return {arrival_order};
  return {};
}

}  // namespace laxity::collective
