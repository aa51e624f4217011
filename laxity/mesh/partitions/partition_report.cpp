// Counts cut edges, and formats the report.
#include "laxity/mesh/partitions/partition_report.hpp"

#include <algorithm>
#include <cstdio>

#include "laxity/check.hpp"

namespace laxity {
namespace {

// One formatted line of at most 159 characters.
template <class... Numbers>
std::string line(const char* format, Numbers... numbers) {
  char text[160];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

}  // namespace

PartitionReport report_partition(const Topology& topology, const Partition& partition) {
  LAXITY_CHECK(topology.nodes() == partition.nodes());
  PartitionReport report;
  report.edges = topology.edges();
  report.workers.resize(partition.workers());
  std::vector<std::uint32_t> counted_by(partition.workers(), partition.workers());  // the last worker that counted it
  std::uint32_t max_nodes = 0;
  for (std::uint32_t worker = 0; worker < partition.workers(); ++worker) {
    PartitionReport::Worker& row = report.workers[worker];
    const auto count = [&](std::uint32_t neighbor, std::uint64_t& cut) {
      const std::uint32_t other = partition.worker_of(neighbor);
      if (other == worker) return;
      ++cut;
      if (counted_by[other] != worker) ++row.neighbors;
      counted_by[other] = worker;
    };
    for (const std::uint32_t node : partition.nodes_of(worker)) {
      for (const std::uint32_t source : topology.inputs(node)) count(source, row.cut_inputs);
      for (const std::uint32_t target : topology.outputs(node)) count(target, row.cut_outputs);
    }
    row.nodes = static_cast<std::uint32_t>(partition.nodes_of(worker).size());
    report.cut_edges += row.cut_outputs;
    max_nodes = std::max(max_nodes, row.nodes);
  }
  if (partition.nodes() > 0) report.balance = double{1} * max_nodes * partition.workers() / partition.nodes();
  return report;
}

std::string to_text(const PartitionReport& report, std::size_t max_workers) {
  const double percent =
      report.edges == 0 ? 0 : 100.0 * static_cast<double>(report.cut_edges) / static_cast<double>(report.edges);
  std::string text = line("workers    %zu\n", report.workers.size());
  text += line("cut edges  %llu of %llu (%.2f %%)\n", static_cast<unsigned long long>(report.cut_edges),
               static_cast<unsigned long long>(report.edges), percent);
  text += line("balance    %.4f (largest / mean)\n", report.balance);
  text += line("%-8s%12s%12s%12s%12s\n", "worker", "nodes", "neighbors", "cut in", "cut out");
  const std::size_t shown = std::min(max_workers, report.workers.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const PartitionReport::Worker& row = report.workers[i];
    text += line("%-8zu%12u%12u%12llu%12llu\n", i, row.nodes, row.neighbors,
                 static_cast<unsigned long long>(row.cut_inputs), static_cast<unsigned long long>(row.cut_outputs));
  }
  if (shown < report.workers.size()) text += line("... and %zu more\n", report.workers.size() - shown);
  return text;
}

}  // namespace laxity
