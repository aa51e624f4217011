// Serialization of the figures of jobs, for reports from the ranks of `laxity top` to the first rank.
//
// Both ends are the same program, so plain values are copied as they are in memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/laxity/top/figures.hpp"

namespace laxity::cli {

[[nodiscard]] std::vector<std::byte> packed(const std::vector<JobFigures>& jobs);
/// Throws Error if the bytes are not a complete result of packed().
[[nodiscard]] std::vector<JobFigures> unpacked(std::span<const std::byte> report);

}  // namespace laxity::cli
