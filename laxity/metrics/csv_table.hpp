// A table in a file: comma-separated values, one header, one observation a row, appended.
//
// Source of the quoting: RFC 4180. Invariants: the file always holds whole rows. A row half written by a crash is cut
// off when the table is opened again; a write that fails (disk full) is taken back before the error is thrown. Threads:
// one at a time; one process at a time writes a table. Elsewhere: which tables there are (run_tables.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace laxity {

/// A value as it stands in a table: numbers in the shortest form that reads back the same, text quoted where needed.
[[nodiscard]] std::string cell(double value);
[[nodiscard]] std::string cell(std::string_view text);
[[nodiscard]] std::string cell(std::integral auto value) { return std::to_string(value); }

/// What a table is called and what its columns are.
struct TableFormat {
  std::string_view file;
  std::vector<std::string_view> columns;
};

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

  /// Writes what was added since the last flush: all of it or nothing. Throws SystemError naming the file.
  void flush();

 private:
  void add_line(const std::string& row, std::size_t cells);

  std::filesystem::path path_;
  std::size_t columns_;
  int file_ = -1;
  std::string pending_;
};

/// The rows of a table, header included, as cells without quotes; a last line without its end is left out. Empty if
/// there is no such file. Throws SystemError if it cannot be read.
[[nodiscard]] std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& path);

/// Writes a file whole or not at all: readers see the old content or the new. Throws SystemError naming the file.
void replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace laxity
