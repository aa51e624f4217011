#include "apps/laxity/top/text_table.hpp"

#include <algorithm>
#include <cmath>

namespace laxity::cli {
namespace {

bool begins_character(char letter) noexcept { return (static_cast<unsigned char>(letter) & 0xC0) != 0x80; }

// Length of the escape sequence for a color that begins here; 0 if none does.
std::size_t sequence_at(std::string_view text) noexcept {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t sequence = sequence_at(text.substr(at));
    columns += sequence == 0 && begins_character(text[at]) ? 1 : 0;
    at += std::max<std::size_t>(sequence, 1);
  }
  return columns;
}

std::string printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(
      shown, [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == '\x7f'; }, '?');
  return shown;
}

std::string cut(std::string_view text, std::size_t width) {
  std::string kept;
  std::size_t columns = 0;
  bool is_colored = false;  // at the present place
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t sequence = sequence_at(text.substr(at));
    if (sequence == 0 && begins_character(text[at]) && columns++ == width) break;
    const std::size_t length = std::max<std::size_t>(sequence, 1);
    if (sequence != 0) is_colored = text.substr(at, length) != "\x1b[0m";
    kept += text.substr(at, length);
    at += length;
  }
  if (is_colored) kept += "\x1b[0m";
  return kept;
}

std::string styled(std::string_view text, Style style) {
  static constexpr std::array<std::string_view, 7> codes{"", "1", "2", "32", "33", "31", "7"};
  const std::string_view code = codes[static_cast<std::size_t>(style)];
  if (code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string unstyled(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t sequence = sequence_at(text.substr(at));
    if (sequence == 0) plain += text[at];
    at += std::max<std::size_t>(sequence, 1);
  }
  return plain;
}

std::string without_colors(std::string_view text) {
  const bool is_selected = text.starts_with("\x1b[7m");
  return is_selected ? std::string(text) : unstyled(text);
}

std::string row_of(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths, std::size_t room) {
  std::string row;
  std::size_t used = 0;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const std::size_t gap = column == 0 ? 0 : 1;
    if (used + gap + widths[column] > room) break;
    const std::size_t width = widths[column] == 0 ? room - used - gap : widths[column];
    const std::string text = cut(cells[column].text, width);
    const std::string space(widths[column] == 0 ? 0 : width - columns_of(text), ' ');
    const std::string cell = styled(text, cells[column].style);
    row += std::string(gap, ' ') + (column == 0 ? cell + space : space + cell);
    used += gap + width;
  }
  return row;
}

std::string sparkline(const std::vector<double>& values, std::size_t length) {
  static constexpr std::array<const char*, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t first = values.size() > length ? values.size() - length : 0;
  double largest = 0;
  for (std::size_t i = first; i < values.size(); ++i) largest = std::max(largest, values[i]);
  std::string line;
  for (std::size_t i = first; i < values.size(); ++i) {
    const double share = largest > 0 ? values[i] / largest : 0;
    line += bars[static_cast<std::size_t>(std::lround(share * static_cast<double>(bars.size() - 1)))];
  }
  return line;
}

}  // namespace laxity::cli
