// The screen of `laxity top` as lines of text, for any size of terminal.
//
// Elsewhere: the figures (top/figures.hpp), tables and colors (top/text_table.hpp), the terminal and its keys
// (top/options.cpp).
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
  std::size_t page = 10;       ///< rows by which page up and page down move
  std::size_t sort = 0;        ///< 0: by worker; 1: by rate; then by each of the metrics, worst first
  bool only_troubled = false;  ///< workers that are not running, or whose messages are refused
  bool zoomed = false;         ///< the channels of the selected worker instead of the workers
  bool paused = false;
  bool selects = true;  ///< marks the selected row, and shows its channels where there is room
  bool help = false;    ///< the keys and columns instead of the workers
  int zoomed_worker = 0;
};

/// Keys that have no letter of their own come as these.
enum TopKey : char {
  key_up = 'k',
  key_down = 'j',
  key_page_up = 'b',
  key_page_down = ' ',
  key_first = 'g',
  key_last = 'G'
};

/// Applies a key to the view; returns false if the key ends the program.
[[nodiscard]] bool apply_key(char key, TopView& view, const std::vector<JobFigures>& jobs);

/// At most `height` lines of at most `width` columns, for any size of terminal. Colors are escape sequences, which have no
/// width.
[[nodiscard]] std::vector<std::string> draw(const std::vector<JobFigures>& jobs, const TopView& view, std::size_t width,
                                            std::size_t height);

}  // namespace laxity::cli
