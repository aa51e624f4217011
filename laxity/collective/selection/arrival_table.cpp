#include "laxity/collective/selection/arrival_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/median.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective {
namespace {

using Row = std::vector<std::string>;
using Cell = std::tuple<std::string, int, std::string, int, std::size_t, std::string, double>;

// Reads the values of a row by the names of their columns. Errors name the row and the column.
class Reader {
 public:
  Reader(std::string file, const Row& header) : file_(std::move(file)) {
    for (const ColumnDescription& column : tables::arrival.columns) {
      const std::string_view name = column.name;
      const auto found = std::find(header.begin(), header.end(), name);
      if (found != header.end()) {
        place_.emplace(name, static_cast<std::size_t>(found - header.begin()));
      } else if (name != "hosts" && name != "turn" && name != "total_delay_us") {
        throw ParseError(file_, 1, 1, "expected a column " + std::string(name));
      }
    }
    columns_ = header.size();
  }

  void next(const Row& row) {
    ++line_;
    row_ = &row;
    if (row.size() != columns_) {
      throw ParseError(file_, line_, 1,
                       std::to_string(row.size()) + " values; the header has " + std::to_string(columns_) + " columns");
    }
  }

  [[nodiscard]] bool has(std::string_view column) const { return place_.contains(column); }
  [[nodiscard]] const std::string& word(std::string_view column) const { return (*row_)[place_.at(column)]; }

  template <class T>
  [[nodiscard]] T number(std::string_view column) const {
    const std::string& text = word(column);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
      throw ParseError(
          file_, line_, 1,
          "column " + std::string(column) + ": expected a number, 0 or more; found " + laxity::detail::quoted(text));
    }
    return value;
  }

 private:
  std::string file_;
  std::map<std::string_view, std::size_t> place_;
  std::size_t columns_ = 0;
  long line_ = 1;
  const Row* row_ = nullptr;
};

// What runs.csv says about a run that is done.
struct Run {
  bool oversubscribed = false;
};

// The runs that are done, by their number; empty if the directory has no table of runs.
std::optional<std::map<std::string, Run>> runs_done(const std::filesystem::path& directory) {
  const std::vector<Row> rows = read_csv(directory / "runs.csv");
  if (rows.empty()) return std::nullopt;
  const auto place = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  };
  const std::size_t run = place("run"), status = place("status"), oversubscribed = place("oversubscribed");
  std::map<std::string, Run> done;
  for (const Row& row : rows) {
    if (run >= row.size() || status >= row.size() || row[status] != "done") continue;
    done[row[run]] = {.oversubscribed = oversubscribed < row.size() && row[oversubscribed] == "1"};
  }
  return done;
}

Measurement cell_of(const Reader& row) {
  Measurement cell;
  cell.run = row.number<std::int64_t>("run");
  cell.collective = collective_named(row.word("collective"));
  cell.algorithm = {row.number<int>("algorithm_id"), row.word("algorithm")};
  cell.library = row.word("library") + " " + row.word("version");
  cell.processes = row.number<int>("processes");
  cell.bytes = row.number<std::size_t>("bytes");
  cell.pattern = row.word("pattern");
  cell.skew_us = row.number<double>("skew_us");
  return cell;
}

}  // namespace

bool Measurement::is_measured() const {
  std::set<std::size_t> turns;
  for (const ValidDelay& delay : delays) turns.insert(delay.turn);
  return turns.size() >= min_values_for_interval;
}

BootstrapInterval Measurement::last_delay_us() const {
  return bootstrap(delays.size(), 1, [&](const std::vector<std::size_t>& drawn) {
    std::vector<double> values;
    for (const std::size_t each : drawn) values.push_back(delays[each].last_delay_us);
    return median(std::move(values));
  });
}

std::vector<Measurement> read_arrival_table(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / tables::arrival.file;
  const std::vector<Row> rows = read_csv(path);
  if (rows.empty()) {
    throw UsageError(path.string() + ": no such table; `laxity arrival` writes one into its run directory");
  }
  Reader row(path.string(), rows.front());
  // Before tables had a column of turns, a turn had several repetitions of a cell.
  const char* const turn = row.has("turn") ? "turn" : "repetition";
  const auto done = runs_done(directory);
  std::map<Cell, std::size_t> place_of;
  std::vector<Measurement> cells;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    row.next(rows[i]);
    if (done && !done->contains(row.word("run"))) continue;
    Measurement cell = cell_of(row);
    if (done) cell.oversubscribed = done->at(row.word("run")).oversubscribed;
    const Cell key{row.word("collective"), cell.algorithm.id, cell.library, cell.processes, cell.bytes,
                   cell.pattern,           cell.skew_us};
    const auto [at, is_new] = place_of.emplace(key, cells.size());
    if (is_new) cells.push_back(std::move(cell));
    Measurement& found = cells[at->second];
    ++found.repetitions;
    if (row.number<int>("valid") == 0) continue;
    found.delays.push_back({row.number<std::size_t>(turn), row.number<double>("last_delay_us")});
  }
  return cells;
}

}  // namespace laxity::collective
