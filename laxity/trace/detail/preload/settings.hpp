// What the environment says about tracing (session.hpp lists the variables).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace laxity::trace::preload {

struct Settings {
  std::string directory = "laxity-trace";
  std::uint32_t every = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> processes;  ///< first and last of each range; empty: all

  [[nodiscard]] bool includes(std::uint32_t rank) const noexcept;
};

/// Throws UsageError naming the variable.
[[nodiscard]] Settings settings_from_environment();

/// Ranges of ranks, as in "0-3,8". Throws UsageError.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> parse_ranks(std::string_view text);

/// What LD_PRELOAD is without this library, so that programs that a rank starts do not load it.
[[nodiscard]] std::string preload_without_this_library(std::string_view value);

}  // namespace laxity::trace::preload
