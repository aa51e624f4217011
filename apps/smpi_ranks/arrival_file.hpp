// A block of arrival patterns to be simulated, and its result, as files between `laxity arrival --simulate smpi` and
// its program under SimGrid.
#pragma once

#include <string>
#include <vector>

#include "laxity/collective/benchmark/arrival_block.hpp"

namespace laxity {

struct ArrivalsFile {
  collective::ArrivalBlock block;
  std::vector<std::string> simulator_names;  ///< of each algorithm; empty: one of laxity's own
  std::string output;                        ///< the file of the result
};

[[nodiscard]] std::string format_arrivals(const ArrivalsFile& arrivals);
/// Throws Error naming the file.
[[nodiscard]] ArrivalsFile read_arrivals(const std::string& path);

/// Throws Error naming the file.
void write_block_result(const std::string& path, const collective::BlockResult& result);
/// Throws Error naming the file.
[[nodiscard]] collective::BlockResult read_block_result(const std::string& path);

}  // namespace laxity
