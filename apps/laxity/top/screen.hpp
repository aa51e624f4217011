// The screen of `laxity top` as lines of text, for any size of terminal.
//
// Elsewhere: the figures (top/figures.hpp), the terminal and its keys (top/options.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/laxity/top/figures.hpp"

namespace laxity::cli {

/// The selections of the user.
struct TopView {
  std::size_t job = 0;         ///< whose workers are shown
  std::size_t selected = 0;    ///< row of a worker, or of a channel
  std::size_t sort = 0;        ///< 0: by worker; 1: by rate; then by each of the metrics, worst first
  bool only_troubled = false;  ///< workers that are not running, or whose messages are refused
  bool zoomed = false;         ///< the channels of the selected worker instead of the workers
  bool paused = false;
  int zoomed_worker = 0;
};

/// Applies a key to the view; returns false if the key ends the program. Arrows come as 'k' and 'j', escape as '\x1b'.
[[nodiscard]] bool apply_key(char key, TopView& view, const std::vector<JobFigures>& jobs);

/// At most `height` lines of at most `width` columns, for any size of terminal.
[[nodiscard]] std::vector<std::string> draw(const std::vector<JobFigures>& jobs, const TopView& view, std::size_t width,
                                            std::size_t height);

/// Width of a text on a terminal, in columns. All characters that are shown have width 1.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// The last `length` values as bars, scaled to the largest.
[[nodiscard]] std::string sparkline(const std::vector<double>& values, std::size_t length);

}  // namespace laxity::cli
