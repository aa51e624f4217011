#include "laxity/metrics/csv_table.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

std::string quoted(std::string_view text) {
  std::string result;
  result += '"';
  for (const char letter : text) {
    result += letter;
    if (letter == '"') result += letter;
  }
  result += '"';
  return result;
}

// Appends all of it. False with errno set if the system took less.
bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The whole file; empty if there is none.
std::string content_of(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SystemError("open(" + path.string() + ")", errno);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string header_of(const std::vector<std::string_view>& columns) {
  std::string header;
  for (const std::string_view column : columns) {
    if (!header.empty()) header += ',';
    header += column;
  }
  return header;
}

}  // namespace

std::string cell(double value) {
  LAXITY_CHECK(std::isfinite(value));  // no metric is ever NaN or infinite
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string cell(std::string_view text) {
  return text.find_first_of(",\"\n\r") == std::string_view::npos ? std::string(text) : quoted(text);
}

CsvTable::CsvTable(std::filesystem::path path, const std::vector<std::string_view>& columns)
    : path_(std::move(path)), columns_(columns.size()) {
  const std::string header = header_of(columns);
  const std::string old = content_of(path_);
  const std::size_t whole = old.rfind('\n') == std::string::npos ? 0 : old.rfind('\n') + 1;
  if (whole > 0 && old.substr(0, old.find('\n')) != header)
    throw Error(path_.string() + ": has other columns than this version writes; choose another output directory");

  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw SystemError("open(" + path_.string() + ")", errno);
  if (whole < old.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0) {
    const int error_number = errno;
    ::close(std::exchange(file_, -1));
    throw SystemError("truncate(" + path_.string() + ")", error_number);
  }
  if (whole == 0) pending_ = header + '\n';
}

CsvTable::~CsvTable() {
  if (file_ >= 0) ::close(file_);
}

void CsvTable::add_line(const std::string& row, std::size_t cells) {
  LAXITY_CHECK(cells == columns_);
  pending_ += row;
  pending_ += '\n';
}

void CsvTable::flush() {
  if (pending_.empty()) return;
  const off_t before = ::lseek(file_, 0, SEEK_END);
  if (!write_all(file_, pending_)) {
    const int error_number = errno;
    // Best effort: if even this fails, the half row is cut off when the table is opened again.
    if (before >= 0) (void)!::ftruncate(file_, before);
    throw SystemError("write(" + path_.string() + ")", error_number);
  }
  pending_.clear();
}

std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string value;
  bool in_quotes = false;
  const std::string text = content_of(path);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (in_quotes) {
      if (letter != '"') {
        value += letter;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        value += letter;
        ++at;
      } else {
        in_quotes = false;
      }
    } else if (letter == '"') {
      in_quotes = true;
    } else if (letter == ',' || letter == '\n') {
      row.push_back(std::exchange(value, {}));
      if (letter == '\n') rows.push_back(std::exchange(row, {}));
    } else if (letter != '\r') {
      value += letter;
    }
  }
  return rows;
}

std::vector<double> read_column(const std::filesystem::path& path, std::string_view column) {
  const auto rows = read_csv(path);
  if (rows.empty()) return {};
  const auto place = static_cast<std::size_t>(std::ranges::find(rows[0], column) - rows[0].begin());
  if (place == rows[0].size()) throw Error(path.string() + ": has no column " + std::string(column));
  std::vector<double> values;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const std::string text = place < rows[row].size() ? rows[row][place] : "";
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), values.emplace_back());
    if (fault != std::errc{} || end != text.data() + text.size())
      throw Error(path.string() + ":" + std::to_string(row + 1) + ": " + std::string(column) + " '" + text +
                  "' is not a number");
  }
  return values;
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::string fresh = path.string() + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw SystemError("open(" + fresh + ")", errno);
  // On the disk before the name changes, so that a power cut leaves one of the two.
  const bool written = write_all(file, content) && ::fsync(file) == 0;
  const int error_number = errno;
  ::close(file);
  if (!written) {
    ::unlink(fresh.c_str());
    throw SystemError("write(" + fresh + ")", error_number);
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) throw SystemError("rename(" + path.string() + ")", errno);
}

}  // namespace laxity
