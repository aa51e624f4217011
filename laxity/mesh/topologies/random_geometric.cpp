// Random geometric graphs.
//
// Coordinates are 31-bit integers, so squared distances compare exactly and a seed gives the same graph with every
// compiler. Points are sorted into cells of side >= radius; the neighbors of a point lie in the nine cells around it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/random.hpp"

namespace laxity::topologies {
namespace {

constexpr unsigned coordinate_bits = 31;

struct Point {
  std::uint32_t x;
  std::uint32_t y;
};

std::uint64_t squared_distance(Point a, Point b) {
  const std::uint64_t dx = a.x > b.x ? a.x - b.x : b.x - a.x;
  const std::uint64_t dy = a.y > b.y ? a.y - b.y : b.y - a.y;
  return dx * dx + dy * dy;
}

// Random points, ordered by cell; cell c has points[begins[c] .. begins[c + 1]).
struct Cells {
  [[nodiscard]] std::uint64_t row_of(std::uint32_t coordinate) const { return (coordinate * side) >> coordinate_bits; }
  [[nodiscard]] std::uint64_t cell_of(Point p) const { return row_of(p.x) * side + row_of(p.y); }

  std::uint64_t side;  // cells per dimension
  std::vector<Point> points;
  std::vector<std::uint32_t> begins;
};

Cells scatter(std::uint32_t nodes, std::uint64_t side, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Point> drawn(nodes);
  for (Point& point : drawn) {
    const std::uint64_t bits = random.bits();
    point = {static_cast<std::uint32_t>(bits >> 33), static_cast<std::uint32_t>(bits) >> 1};
  }
  Cells cells{side, std::vector<Point>(nodes), std::vector<std::uint32_t>(side * side + 1)};
  for (const Point& point : drawn) ++cells.begins[cells.cell_of(point) + 1];
  for (std::size_t i = 1; i < cells.begins.size(); ++i) cells.begins[i] += cells.begins[i - 1];
  std::vector<std::uint32_t> next(cells.begins.begin(), cells.begins.end() - 1);
  for (const Point& point : drawn) cells.points[next[cells.cell_of(point)]++] = point;
  return cells;
}

}  // namespace

Topology random_geometric(std::uint32_t nodes, double radius, std::uint64_t seed) {
  if (!(radius > 0 && radius <= 1)) {
    throw UsageError("random_geometric: radius " + std::to_string(radius) + "; give one above 0, at most 1");
  }
  const double expected = 3.2 * radius * radius * nodes * nodes;
  if (expected > static_cast<double>(Topology::max_edges)) {
    throw UsageError("random_geometric: about " + std::to_string(expected) +
                     " edges are too many; give a smaller radius");
  }
  const auto reach = static_cast<std::uint64_t>(radius * (std::uint64_t{1} << coordinate_bits));
  // More cells than points would waste memory.
  std::uint64_t side = 1;
  while ((side + 1) * (side + 1) <= nodes && (side + 1) * std::max<std::uint64_t>(reach, 1) <= std::uint64_t{1}
                                                                                                   << coordinate_bits) {
    ++side;
  }
  const Cells cells = scatter(nodes, side, seed);
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint64_t row = cells.row_of(cells.points[node].x);
    const std::uint64_t column = cells.row_of(cells.points[node].y);
    const std::uint64_t first_column = column > 0 ? column - 1 : 0;
    const std::uint64_t last_column = std::min(column + 1, side - 1);
    for (std::uint64_t r = row > 0 ? row - 1 : 0; r <= std::min(row + 1, side - 1); ++r) {
      // The cells of a row are adjacent in memory.
      const std::uint32_t end = cells.begins[r * side + last_column + 1];
      for (std::uint32_t other = cells.begins[r * side + first_column]; other < end; ++other) {
        if (other == node || squared_distance(cells.points[node], cells.points[other]) > reach * reach) continue;
        edges.push_back({node, other});
      }
    }
  }
  return Topology::from_edges(nodes, std::move(edges));
}

}  // namespace laxity::topologies
