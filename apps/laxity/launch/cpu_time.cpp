#include "apps/laxity/launch/cpu_time.hpp"

#include <cstddef>
#include <vector>

namespace laxity::cli {

DisturbanceMeter meter_on_this_host(Ranks* ranks) {
  cpu_set_t processors = usable_processors();
  if (ranks == nullptr || ranks->has_lost_a_rank()) return DisturbanceMeter(processors);
  const std::vector<cpu_set_t> of_rank = ranks->allgather_values(processors);
  for (const int rank : ranks->map().ranks_of(ranks->map().host()))
    CPU_OR(&processors, &processors, &of_rank[static_cast<std::size_t>(rank)]);
  return DisturbanceMeter(processors);
}

std::int64_t cpu_ns_on_this_host(const DisturbanceMeter& meter, Ranks* ranks) {
  const std::int64_t mine = meter.own_cpu_ns();
  if (ranks == nullptr || ranks->has_lost_a_rank()) return mine;
  const std::vector<std::int64_t> of_rank = ranks->allgather_values(mine);
  std::int64_t sum = 0;
  for (const int rank : ranks->map().ranks_of(ranks->map().host())) sum += of_rank[static_cast<std::size_t>(rank)];
  return sum;
}

}  // namespace laxity::cli
