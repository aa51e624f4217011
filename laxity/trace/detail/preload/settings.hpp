// The environment variables that configure the tracer (session.hpp lists them).
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
  std::vector<std::pair<std::uint32_t, std::uint32_t>> processes;  ///< first and last rank of each range; empty for all

  [[nodiscard]] bool includes(std::uint32_t rank) const noexcept;
};

/// Throws UsageError naming an invalid variable.
[[nodiscard]] Settings settings_from_environment();

/// Parses ranges of ranks such as "0-3,8". Throws UsageError.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> parse_ranks(std::string_view text);

/// The value of LD_PRELOAD without this library, so that child processes of a rank do not load it.
[[nodiscard]] std::string preload_without_this_library(std::string_view value);

}  // namespace laxity::trace::preload
