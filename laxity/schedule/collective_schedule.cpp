#include "laxity/schedule/collective_schedule.hpp"

#include <algorithm>
#include <string>

#include "laxity/error.hpp"
#include "laxity/schedule/detail/algorithms/builder.hpp"

namespace laxity::schedule {
namespace {

using collective::Collective;

std::vector<detail::NamedAlgorithm> algorithms_of(Collective collective) {
  switch (collective) {
    case Collective::allgather:
      return detail::allgather_algorithms();
    case Collective::allreduce:
      return detail::allreduce_algorithms();
    case Collective::alltoall:
      return detail::alltoall_algorithms();
    case Collective::barrier:
      return detail::barrier_algorithms();
    case Collective::bcast:
      return detail::bcast_algorithms();
    case Collective::gather:
      return detail::gather_algorithms();
    case Collective::reduce:
      return detail::reduce_algorithms();
    case Collective::reduce_scatter:
      return detail::reduce_scatter_algorithms();
    case Collective::scatter:
      return detail::scatter_algorithms();
  }
  return {};
}

detail::RankProgram program_named(Collective collective, std::string_view name) {
  std::string known;
  for (const detail::NamedAlgorithm& algorithm : algorithms_of(collective)) {
    if (algorithm.name == name) return algorithm.program;
    known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
  }
  throw UsageError("algorithm = " + std::string(name) + ": " + std::string(name_of(collective)) + " has " + known);
}

void require_valid(const CollectiveCall& call) {
  constexpr std::uint32_t max_ranks = 1 << 24;
  if (call.ranks == 0 || call.ranks > max_ranks)
    throw UsageError("ranks = " + std::to_string(call.ranks) + ": must be 1 to " + std::to_string(max_ranks));
  if (call.root >= call.ranks)
    throw UsageError("root = " + std::to_string(call.root) + ": there are " + std::to_string(call.ranks) + " ranks");
  constexpr std::uint64_t max_segments = 1 << 16;
  if (call.segment_bytes != 0 && call.bytes / call.segment_bytes >= max_segments)
    throw UsageError("segment_bytes = " + std::to_string(call.segment_bytes) + ": more than " +
                     std::to_string(max_segments) + " segments");
}

}  // namespace

std::vector<collective::Algorithm> algorithms(Collective collective) {
  std::vector<collective::Algorithm> all;
  for (const detail::NamedAlgorithm& each : algorithms_of(collective)) all.push_back({each.id, std::string(each.name)});
  return all;
}

Schedule make_schedule(const CollectiveCall& call, std::string_view algorithm, std::vector<Contents>* contents) {
  require_valid(call);
  const detail::RankProgram program = program_named(call.collective, algorithm);
  CollectiveCall vector = call;
  if (call.collective == Collective::barrier) vector.bytes = 0;
  if (call.collective == Collective::reduce_scatter) vector.bytes *= call.ranks;
  detail::Builder builder(vector, contents);
  for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
    builder.begin_rank(rank);
    static_cast<void>(program(builder, {}));
  }
  return builder.take();
}

}  // namespace laxity::schedule
