// Matrix Market coordinate matrices, read as adjacency: an entry at row i, column j is an edge from i to j.
// Source: Boisvert, Pozo and Remington, The Matrix Market exchange formats: initial design, NISTIR 5935 (1996).
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/mesh/graph_formats/detail/graph_formats.hpp"

namespace laxity::detail {
namespace {

// Nodes that a header may promise beyond the size of the file: nodes without edges take no bytes.
constexpr std::uint64_t free_nodes = std::uint64_t{1} << 20;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Reads a word that must be one of `known`; returns its index.
template <std::size_t n>
std::size_t choose(TextScanner& text, const std::array<std::string_view, n>& known) {
  const std::string_view word = text.word();
  std::string names;
  for (std::size_t i = 0; i < n; ++i) {
    if (equal_ignoring_case(word, known[i])) return i;
    names += (i == 0 ? "" : i + 1 == n ? " or " : ", ") + std::string(known[i]);
  }
  text.fail(word.data(), "expected " + names + "; found " + quoted(word));
}

struct Header {
  std::size_t values = 0;  // numbers after row and column
  bool symmetric = false;
};

Header read_header(TextScanner& text) {
  choose<1>(text, {"%%MatrixMarket"});
  choose<1>(text, {"matrix"});
  choose<1>(text, {"coordinate"});
  constexpr std::array<std::size_t, 4> values{0, 1, 1, 2};
  Header header;
  header.values = values[choose<4>(text, {"pattern", "real", "integer", "complex"})];
  header.symmetric = choose<4>(text, {"general", "symmetric", "skew-symmetric", "Hermitian"}) != 0;
  return header;
}

// Moves to the next line that is neither blank nor a comment; false at the end of the file.
bool to_next_entry(TextScanner& text) {
  do {
    text.next_line();
    text.skip_blanks();
  } while (!text.at_end() && (text.at_line_end() || text.peek() == '%'));
  return !text.at_end();
}

void skip_value(TextScanner& text) {
  const std::string_view word = text.word();
  double value = 0;
  const char* const first = word.data() + (word.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(first, word.data() + word.size(), value);
  const bool number = error == std::errc() || error == std::errc::result_out_of_range;
  if (!number || end != word.data() + word.size()) text.fail(word.data(), "expected a value; found " + quoted(word));
}

void expect_line_end(TextScanner& text) {
  text.skip_blanks();
  if (!text.at_line_end()) text.fail(text.at(), "expected the end of the line");
}

}  // namespace

Topology read_matrix_market(TextScanner text) {
  const Header header = read_header(text);
  expect_line_end(text);
  if (!to_next_entry(text)) text.fail(text.at(), "expected the line \"rows columns entries\"; the file ends here");
  const auto nodes =
      static_cast<std::uint32_t>(text.number("the number of rows (at most 2^20 more than the file's bytes)", 0,
                                             std::min(text.size() + free_nodes, Topology::max_nodes)));
  static_cast<void>(text.number("the number of columns, equal to the rows", nodes, nodes));
  const std::uint64_t entries =
      text.number("the number of entries (at most the file's bytes)", 0, std::min(text.size(), Topology::max_edges));
  expect_line_end(text);

  std::vector<Edge> edges;
  edges.reserve(header.symmetric ? 2 * entries : entries);
  for (std::uint64_t entry = 0; entry < entries; ++entry) {
    if (!to_next_entry(text)) {
      text.fail(text.at(), "expected entry " + std::to_string(entry + 1) + " of " + std::to_string(entries) +
                               "; the file ends here");
    }
    const char* const position = text.at();
    const auto row = static_cast<std::uint32_t>(text.number("a row", 1, nodes)) - 1;
    const auto column = static_cast<std::uint32_t>(text.number("a column", 1, nodes)) - 1;
    for (std::size_t i = 0; i < header.values; ++i) skip_value(text);
    expect_line_end(text);
    if (header.symmetric && column > row) {
      text.fail(position, "a symmetric matrix lists its lower triangle only; swap row and column");
    }
    if (row == column) continue;
    edges.push_back({row, column});
    if (header.symmetric) edges.push_back({column, row});
  }
  if (to_next_entry(text)) {
    text.fail(text.at(), "expected nothing after the last of " + std::to_string(entries) + " entries");
  }
  return Topology::from_edges(nodes, std::move(edges));
}

}  // namespace laxity::detail
