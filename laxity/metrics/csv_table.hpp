// A table in a file: comma-separated values, a header, then one row per observation.
//
// Source of the quoting: RFC 4180.
// Invariants: the file always holds complete rows. A row that a crash cut short is removed when the table is opened
// again; a write that fails (disk full) is removed before the error is thrown.
// Threads: one at a time; one process at a time writes a table.
// Elsewhere: the tables of run directories (table_writer.hpp, tables.json).
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace laxity {

/// The text of a cell: numbers in the shortest form that reads back the same, words quoted where needed.
[[nodiscard]] std::string cell(double value);
[[nodiscard]] std::string cell(std::string_view text);
[[nodiscard]] std::string cell(std::integral auto value) { return std::to_string(value); }

class CsvTable {
 public:
  /// Opens or creates the file. Throws SystemError, and Error if it has another header.
  CsvTable(std::filesystem::path path, const std::vector<std::string_view>& columns);
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;
  ~CsvTable();

  /// Keeps a row until flush().
  template <class... Values>
    requires(sizeof...(Values) > 0)
  void add(const Values&... values) {
    std::string row;
    ((row += cell(values), row += ','), ...);
    row.pop_back();
    add_line(row, sizeof...(values));
  }

  /// Writes all rows added since the last flush, or none. Throws SystemError naming the file.
  void flush();

 private:
  void add_line(const std::string& row, std::size_t cells);

  std::filesystem::path path_;
  std::size_t columns_;
  int file_ = -1;
  std::string pending_;
};

/// The rows of a table with its header, as cells without quotes; an incomplete last line is left out. Empty if there is
/// no such file. Throws SystemError if it cannot be read.
[[nodiscard]] std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& path);

/// The numbers in a column of such a table, from the first row to the last. Throws Error, naming the file, if the table
/// has no such column or a cell is not a number.
[[nodiscard]] std::vector<double> read_column(const std::filesystem::path& path, std::string_view column);

/// Replaces a file atomically: readers see the old content or the new. Throws SystemError naming the file.
void replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace laxity
