// The check of the number of workers that all partitions share.
#pragma once

#include <cstdint>

namespace laxity::detail {

/// Throws UsageError, with the partition's name and both numbers, unless 1 <= workers <= nodes.
void check_workers(const char* partition, std::uint32_t nodes, std::uint32_t workers);

}  // namespace laxity::detail
