// Partitions from files in the format of METIS.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "laxity/mesh/partitions/detail/check_workers.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::partitions {

Partition from_file(const Topology& topology, std::uint32_t workers, const std::string& path) {
  detail::check_workers("partition file", topology.nodes(), workers);
  const std::string content = detail::read_whole_file(path);
  detail::TextScanner text(path, content);
  std::vector<std::uint32_t> worker_of;
  worker_of.reserve(topology.nodes());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    if (text.at_end()) {
      text.fail(text.at(), "expected the worker of node " + std::to_string(node) +
                               "; the file ends here, the graph has " + std::to_string(topology.nodes()) + " nodes");
    }
    worker_of.push_back(static_cast<std::uint32_t>(text.number("a worker", 0, workers - 1)));
    text.skip_blanks();
    if (!text.at_line_end()) text.fail(text.at(), "expected the end of the line: one worker per line");
    text.next_line();
  }
  for (; !text.at_end(); text.next_line()) {
    text.skip_blanks();
    if (!text.at_line_end()) {
      text.fail(text.at(), "expected nothing after the last of " + std::to_string(topology.nodes()) + " nodes");
    }
  }
  return {workers, std::move(worker_of)};
}

}  // namespace laxity::partitions
