// Writes rows of a described table. A row that does not have exactly the described columns does not compile.
//
//   TableWriter<tables::workers> workers(directory);
//   workers.add(column<"run">(0), column<"worker">(3), ...);
//
// Invariants: the cells of a row have the names, the order and the types of laxity/metrics/tables.json.
// Threads: one at a time.
// Elsewhere: the descriptions (tables.hpp), the file (csv_table.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/table_description.hpp"

namespace laxity {
namespace detail {

/// A string literal as a template argument.
template <std::size_t size>
struct ColumnName {
  char text[size];
  consteval ColumnName(const char (&literal)[size]) { std::ranges::copy(literal, text); }  // NOLINT: implicit by design
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, size - 1}; }
};

template <class T>
constexpr bool holds(CellType type) noexcept {
  switch (type) {
    case CellType::count:
      return std::integral<T>;
    case CellType::real:
      return std::floating_point<T>;
    case CellType::word:
      return std::convertible_to<T, std::string_view>;
  }
  return false;
}

}  // namespace detail

/// The cell of one column of a row.
template <detail::ColumnName column, class T>
struct NamedCell {
  const T& value;
  static constexpr bool fits(const ColumnDescription& described) noexcept {
    return described.name == column.view() && detail::holds<T>(described.type);
  }
};

template <detail::ColumnName name, class T>
[[nodiscard]] constexpr NamedCell<name, T> column(const T& value) noexcept {
  return {value};
}

/// Whether cells of these types are a row of the table.
template <class... Cells>
[[nodiscard]] constexpr bool is_row_of(const TableDescription& table) noexcept {
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return sizeof...(Cells) == table.columns.size() && (Cells::fits(table.columns[index]) && ...);
  }(std::index_sequence_for<Cells...>());
}

template <const TableDescription& table>
class TableWriter {
 public:
  /// Opens or creates the table in a run directory. Throws SystemError, and Error if it has other columns.
  explicit TableWriter(const std::filesystem::path& directory) : csv_(directory / table.file, names()) {}

  /// Keeps a row until flush(): one column<"name">(value) for each column of the table, in its order.
  template <class... Cells>
  void add(const Cells&... cells) {
    static_assert(is_row_of<Cells...>(table),
                  "a row has the columns that laxity/metrics/tables.json lists for its table");
    csv_.add(cells.value...);
  }

  /// Writes all rows added since the last flush, or none. Throws SystemError naming the file.
  void flush() { csv_.flush(); }

 private:
  static std::vector<std::string_view> names() {
    std::vector<std::string_view> result;
    for (const ColumnDescription& described : table.columns) result.push_back(described.name);
    return result;
  }

  CsvTable csv_;
};

}  // namespace laxity
