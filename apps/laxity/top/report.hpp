// Figures of jobs as bytes, for the journey from one rank of `laxity top` to the first.
//
// Both ends are the same program, so that values travel as they lie in memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/laxity/top/figures.hpp"

namespace laxity::cli {

[[nodiscard]] std::vector<std::byte> packed(const std::vector<JobFigures>& jobs);
/// Throws Error if that is not what packed() has made.
[[nodiscard]] std::vector<JobFigures> unpacked(std::span<const std::byte> report);

}  // namespace laxity::cli
