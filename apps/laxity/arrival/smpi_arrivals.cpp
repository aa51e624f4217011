#include "apps/laxity/arrival/smpi_arrivals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "apps/smpi_ranks/arrival_file.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/error.hpp"
#include "laxity/schedule/collective_schedule.hpp"

namespace laxity::cli {
namespace {

using collective::Algorithm;
using collective::Collective;

// The algorithm of SMPI with the messages of an algorithm of Open MPI, whose name schedules have. The chain of reduce has
// none: SMPI makes another number of chains.
struct Counterpart {
  Collective collective;
  std::string_view name;
  const char* in_simulator;
};

constexpr std::array<Counterpart, 32> counterparts{
    {{Collective::allgather, "bruck", "bruck"},
     {Collective::allgather, "recursive_doubling", "rdb"},
     {Collective::allgather, "ring", "NTSLR"},
     {Collective::allgather, "neighbor", "ompi_neighborexchange"},
     {Collective::allreduce, "recursive_doubling", "rdb"},
     {Collective::allreduce, "ring", "lr"},
     {Collective::allreduce, "rabenseifner", "rab_rdb"},
     {Collective::alltoall, "linear", "basic_linear"},
     {Collective::alltoall, "pairwise", "ring"},
     {Collective::alltoall, "modified_bruck", "bruck"},
     {Collective::barrier, "linear", "ompi_basic_linear"},
     {Collective::barrier, "double_ring", "ompi_doublering"},
     {Collective::barrier, "recursive_doubling", "ompi_recursivedoubling"},
     {Collective::barrier, "bruck", "ompi_bruck"},
     {Collective::barrier, "tree", "ompi_tree"},
     {Collective::bcast, "basic_linear", "flattree"},
     {Collective::bcast, "pipeline", "ompi_pipeline"},
     {Collective::bcast, "binomial", "binomial_tree"},
     {Collective::bcast, "scatter_allgather_ring", "scatter_LR_allgather"},
     {Collective::gather, "basic_linear", "ompi_basic_linear"},
     {Collective::gather, "binomial", "ompi_binomial"},
     {Collective::gather, "linear_sync", "ompi_linear_sync"},
     {Collective::reduce, "linear", "ompi_basic_linear"},
     {Collective::reduce, "pipeline", "ompi_pipeline"},
     {Collective::reduce, "binary", "ompi_binary"},
     {Collective::reduce, "binomial", "ompi_binomial"},
     {Collective::reduce, "in-order_binary", "ompi_in_order_binary"},
     {Collective::reduce, "rabenseifner", "scatter_gather"},
     {Collective::reduce_scatter, "recursive_halving", "ompi_basic_recursivehalving"},
     {Collective::reduce_scatter, "ring", "ompi_ring"},
     {Collective::scatter, "basic_linear", "ompi_basic_linear"},
     {Collective::scatter, "binomial", "ompi_binomial"}}};

// Null if SMPI has none.
const Counterpart* counterpart_of(Collective collective, const Algorithm& algorithm) {
  const auto found = std::ranges::find_if(counterparts, [&](const Counterpart& each) {
    return each.collective == collective && each.name == algorithm.name;
  });
  return found == counterparts.end() ? nullptr : &*found;
}

double gbps(double gap_per_byte_ns) {
  constexpr double fastest = 1e6;  // SimGrid has no link of unlimited bandwidth
  return gap_per_byte_ns == 0 ? fastest : std::min(fastest, 8 / gap_per_byte_ns);
}

SmpiPlatform platform_of(const schedule::Machine& machine) {
  if (machine.levels.size() > 2)
    throw UsageError(
        fmt::format("machine {}: SMPI simulates machines of one or two levels; this one has {}. "
                    "--simulate schedule simulates it",
                    machine.name, machine.levels.size()));
  const schedule::Level &host = machine.levels.front(), &network = machine.levels.back();
  return {.ranks_per_host = static_cast<int>(std::max(1U, host.ranks)),
          .latency_s = network.latency_us * 1e-6 / 2,
          .bandwidth_gbps = gbps(network.gap_per_byte_ns),
          .memory_latency_s = host.latency_us * 1e-6,
          .memory_bandwidth_gbps = gbps(host.gap_per_byte_ns)};
}

// All ranks share the globals of the program, which are constants and those of libraries: a thousand copies of it would
// take minutes and gigabytes.
std::vector<std::string> options_of(const schedule::Machine& machine) {
  const double overhead_s = machine.levels.back().overhead_us * 1e-6;
  constexpr std::uint64_t no_limit = 2'000'000'000;
  const std::uint64_t limit = machine.eager_limit_bytes;
  std::vector<std::string> options{"-no-privatize",
                                   "--cfg=smpi/lat-factor:0:1",
                                   "--cfg=smpi/bw-factor:0:1",
                                   "--cfg=network/crosstraffic:0",
                                   "--cfg=network/TCP-gamma:0",
                                   "--cfg=surf/precision:1e-12",
                                   "--cfg=contexts/stack-size:256"};
  options.push_back(
      fmt::format("--cfg=smpi/send-is-detached-thresh:{}", limit == 0 ? no_limit : std::min(limit + 1, no_limit)));
  for (const char* const call : {"os", "or", "ois"})
    options.push_back(fmt::format("--cfg=smpi/{}:0:{}:0", call, overhead_s));
  return options;
}

}  // namespace

std::vector<Algorithm> smpi_algorithms(Collective collective) {
  std::vector<Algorithm> algorithms = schedule::algorithms(collective);
  std::erase_if(algorithms, [&](const Algorithm& algorithm) {
    return !collective::is_own(algorithm.id) && counterpart_of(collective, algorithm) == nullptr;
  });
  return algorithms;
}

SmpiArrivals::SmpiArrivals(const std::filesystem::path& folder, const schedule::Machine& machine, int ranks)
    : ranks_(ranks), platform_(platform_of(machine)), launcher_(folder, "smpi_collectives", options_of(machine)) {}

std::string SmpiArrivals::command() const { return fmt::format("{}", fmt::join(launcher_.command(), " ")); }

std::optional<collective::BlockResult> SmpiArrivals::simulate(const collective::ArrivalBlock& block) const {
  constexpr double max_bytes = 8e9;
  const double blocks = has_block_per_process(block.collective) ? ranks_ : 1;
  const double bytes = 2 * static_cast<double>(block.bytes) * blocks * ranks_;
  if (bytes > max_bytes)
    throw UsageError(
        fmt::format("{} of {} bytes on {} ranks: SMPI moves real messages, and their buffers would take {:.0f} "
                    "GB; --simulate schedule takes none",
                    name_of(block.collective), block.bytes, ranks_, bytes * 1e-9));
  std::vector<std::string> names;
  for (const Algorithm& algorithm : block.algorithms) {
    const Counterpart* const found = counterpart_of(block.collective, algorithm);
    names.emplace_back(found == nullptr ? "" : found->in_simulator);
  }
  const std::string output = launcher_.result_file().string();
  if (!launcher_.run(ranks_, platform_, format_arrivals({block, std::move(names), output}))) return std::nullopt;
  collective::BlockResult result = read_block_result(output);
  std::filesystem::remove(output);
  return result;
}

}  // namespace laxity::cli
