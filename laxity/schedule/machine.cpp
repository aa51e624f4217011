#include "laxity/schedule/machine.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::schedule {

const Level& Machine::level_between(std::uint32_t a, std::uint32_t b) const noexcept {
  for (const Level& level : levels)
    if (level.ranks == 0 || a / level.ranks == b / level.ranks) return level;
  return levels.back();
}

std::uint32_t Machine::hosts(std::uint32_t ranks) const noexcept {
  if (levels.size() < 2) return 1;
  const std::uint32_t in_each = levels[levels.size() - 2].ranks;
  return ranks / in_each + (ranks % in_each == 0 ? 0 : 1);
}

void require_valid(const Machine& machine) {
  const auto refuse = [](const std::string& what) { throw UsageError("machine: " + what); };
  if (machine.levels.empty()) refuse("at least one level is needed");
  std::uint32_t inner = 1;
  for (const Level& level : machine.levels) {
    const std::string where = "level \"" + level.name + "\": ";
    const bool last = &level == &machine.levels.back();
    if (last != (level.ranks == 0))
      refuse(where + (last ? "the outermost level has no number of ranks, because it holds all" : "ranks = 0"));
    if (!last && (level.ranks < inner || level.ranks % inner != 0))
      refuse(where + "ranks = " + std::to_string(level.ranks) + " is not a multiple of the level below, " +
             std::to_string(inner));
    if (!last) inner = level.ranks;
    const std::array<std::pair<const char*, double>, 4> parameters{{{"latency_us", level.latency_us},
                                                                    {"overhead_us", level.overhead_us},
                                                                    {"gap_us", level.gap_us},
                                                                    {"gap_per_byte_ns", level.gap_per_byte_ns}}};
    for (const auto& [name, value] : parameters)
      if (!(value >= 0) || !std::isfinite(value) || value > 1e9)
        refuse(where + name + " = " + std::to_string(value) + ": must be 0 to 1e9");
  }
}

}  // namespace laxity::schedule
