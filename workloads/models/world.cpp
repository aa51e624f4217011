#include "workloads/models/world.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::models {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// The cells of a file, with the place of each for whoever complains.
class Sheet {
 public:
  explicit Sheet(const std::filesystem::path& path) : path_(path.string()) {
    if (!std::filesystem::exists(path)) throw UsageError(path_ + ": there is no such file");
    rows_ = read_csv(path);
    if (rows_.empty()) fail(0, 0, "the file is empty");
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  [[nodiscard]] std::size_t columns(std::size_t row) const noexcept { return rows_[row].size(); }
  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const {
    if (column >= rows_[row].size()) fail(row, rows_[row].size(), "a cell is missing");
    return rows_[row][column];
  }
  template <class Number>
  [[nodiscard]] Number number(std::size_t row, std::size_t column, Number most) const {
    const std::string& word = text(row, column);
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number = error == std::errc{} && end == word.data() + word.size();
    if (!is_number || !(value >= Number{0} && value <= most)) {
      fail(row, column, word.substr(0, 40) + " is no number from 0 to " + std::to_string(most));
    }
    return value;
  }
  [[noreturn]] void fail(std::size_t row, std::size_t column, const std::string& what) const {
    throw ParseError(path_, static_cast<long>(row) + 1, static_cast<long>(column) + 1, what);
  }

 private:
  std::string path_;
  Rows rows_;
};

std::vector<Place> read_places(const std::filesystem::path& path) {
  const Sheet sheet(path);
  constexpr std::string_view header[] = {"place", "population", "infected"};
  for (std::size_t column = 0; column < 3; ++column) {
    if (sheet.text(0, column) != header[column]) {
      sheet.fail(0, column, "the header must be place,population,infected");
    }
  }
  constexpr std::uint32_t max_people = 100'000'000;
  std::vector<Place> places;
  for (std::size_t row = 1; row < sheet.rows(); ++row) {
    Place place{sheet.text(row, 0), sheet.number<std::uint32_t>(row, 1, max_people), 0};
    place.infected = sheet.number<std::uint32_t>(row, 2, place.population);
    places.push_back(std::move(place));
  }
  if (places.empty()) sheet.fail(1, 0, "there are no places");
  return places;
}

}  // namespace

World read_world(const std::filesystem::path& places, const std::filesystem::path& travel) {
  World world{read_places(places), {}};
  const Sheet sheet(travel);
  const std::size_t count = world.places.size();
  if (sheet.rows() != count + 1) {
    sheet.fail(sheet.rows(), 0, std::to_string(sheet.rows() - 1) + " rows for " + std::to_string(count) + " places");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (sheet.text(0, i + 1) != world.places[i].name) sheet.fail(0, i + 1, "the place here is " + world.places[i].name);
    if (sheet.text(i + 1, 0) != world.places[i].name) sheet.fail(i + 1, 0, "the place here is " + world.places[i].name);
  }
  for (std::size_t from = 0; from < count; ++from) {
    if (sheet.columns(from + 1) > count + 1) sheet.fail(from + 1, count + 1, "a cell too many");
    for (std::size_t to = 0; to < count; ++to) {
      const double share = sheet.number<double>(from + 1, to + 1, 1000.0);
      world.travel.push_back(from == to ? 0 : share);
    }
  }
  return world;
}

World square_world(std::uint32_t side, std::uint32_t population, double infected, double travel) {
  const std::uint32_t count = side * side;
  World world{{}, std::vector<double>(std::size_t{count} * count, 0)};
  for (std::uint32_t place = 0; place < count; ++place) {
    const bool is_infected = 4 * place < count;
    const double ill = is_infected ? std::round(infected * population) : 0;
    world.places.push_back({"place " + std::to_string(place), population, static_cast<std::uint32_t>(ill)});
    const std::uint32_t x = place % side, row = place - x;
    for (const std::uint32_t to :
         {row + (x + 1) % side, row + (x + side - 1) % side, (place + side) % count, (place + count - side) % count}) {
      if (to != place) world.travel[std::size_t{place} * count + to] += travel / 4;
    }
  }
  return world;
}

}  // namespace laxity::models
