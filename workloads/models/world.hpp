// Where an epidemic spreads: places with people, and how many of them travel from one to another.
//
// Files. Places: CSV with the header `place,population,infected`, a row each. Travel: CSV whose header is `from` and the
// names of the places in their order, and whose rows are a name and the share of its people that goes to each place per
// day; the diagonal is ignored. Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace laxity::models {

struct Place {
  std::string name;
  std::uint32_t population = 0;
  std::uint32_t infected = 0;  ///< at the beginning
};

struct World {
  std::vector<Place> places;
  std::vector<double> travel;  ///< by place from, place to: share of the people per day

  [[nodiscard]] double share(std::size_t from, std::size_t to) const noexcept {
    return travel[from * places.size() + to];
  }
};

/// Reads both files. Throws ParseError with file, line and column, SystemError.
[[nodiscard]] World read_world(const std::filesystem::path& places, const std::filesystem::path& travel);

/// A square of `side` x `side` places, wrapped around: `population` people each, of whom the share `travel` goes to one of
/// the four neighbors per day; in the first quarter of the places the share `infected` is so at the beginning.
[[nodiscard]] World square_world(std::uint32_t side, std::uint32_t population, double infected, double travel);

}  // namespace laxity::models
