// Text for a terminal: columns of fixed width, colors, bars.
//
// Threads: any. Elsewhere: what is shown (top/screen.hpp).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace laxity::cli {

enum class Style { plain, bold, dim, good, warning, bad, selected };

/// Width of a text on a terminal, in columns. Escape sequences have none; all other characters that are shown have width 1.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;
/// The text with control characters replaced, which must not reach the terminal: command lines come from others.
[[nodiscard]] std::string printable(std::string_view text);
/// The beginning of a text that has this width, with its colors ended.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);
[[nodiscard]] std::string styled(std::string_view text, Style style);
/// The text without colors.
[[nodiscard]] std::string unstyled(std::string_view text);

/// The text with the selected row still marked, for terminals whose user wants no colors.
[[nodiscard]] std::string without_colors(std::string_view text);

struct Cell {
  std::string text{};
  Style style = Style::plain;
};

/// A row of as many cells as fit. Cells are right-aligned in their widths, the first one left-aligned; a last cell of width 0
/// takes what is left.
[[nodiscard]] std::string row_of(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                                 std::size_t room);

/// The last `length` values as bars, scaled to the largest.
[[nodiscard]] std::string sparkline(const std::vector<double>& values, std::size_t length);

}  // namespace laxity::cli
