#include "laxity/cli/timewarp/print_comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "laxity/cli/timewarp/print.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/student.hpp"

namespace laxity::cli {
namespace {

std::size_t step_of(std::size_t points) {
  constexpr std::size_t max_rows = 12;
  return std::max<std::size_t>(1, points / max_rows);
}

void print_quantity(const timewarp::Quantity& quantity) {
  if (quantity.points.size() == 1) {
    fmt::print("  {}: {:.6g}\n", quantity.quantity, quantity.points.front().value);
    return;
  }
  fmt::print("  {:>18} {:>18}   ({})\n", quantity.by, "simulated", quantity.quantity);
  for (std::size_t i = 0; i < quantity.points.size(); i += step_of(quantity.points.size()))
    fmt::print("  {:>18.4g} {:>18.5g}\n", quantity.points[i].x, quantity.points[i].value);
}

// The values of one point of a quantity, of all replicates.
struct Replicated {
  double x = 0;
  double expected = 0;
  std::vector<double> values;
};

struct ReplicatedQuantity {
  std::string quantity, by;
  std::vector<Replicated> points;
};

// From comparisons.csv or quantities.csv, in the order of the first replicate.
std::vector<ReplicatedQuantity> replicated_in(const std::filesystem::path& table, const std::string& value_column,
                                              bool is_compared) {
  const auto rows = read_csv(table);
  std::vector<ReplicatedQuantity> found;
  if (rows.size() < 2) return found;
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  const std::vector<double> xs = read_column(table, "x"), values = read_column(table, value_column);
  const std::vector<double> expected = is_compared ? read_column(table, "expected") : std::vector<double>{};
  const std::size_t quantity = column("quantity"), by = column("by");
  std::map<std::pair<std::string, std::string>, std::size_t> quantities;
  std::map<std::pair<std::size_t, double>, std::size_t> points;
  for (std::size_t row = 0; row < xs.size(); ++row) {
    const auto& cells = rows[row + 1];
    const std::size_t which = quantities.try_emplace({cells.at(quantity), cells.at(by)}, found.size()).first->second;
    if (which == found.size()) found.push_back({cells[quantity], cells[by], {}});
    auto& of_quantity = found[which].points;
    const std::size_t point = points.try_emplace({which, xs[row]}, of_quantity.size()).first->second;
    if (point == of_quantity.size()) of_quantity.push_back({xs[row], is_compared ? expected[row] : 0, {}});
    of_quantity[point].values.push_back(values[row]);
  }
  return found;
}

void print_replicated(const ReplicatedQuantity& quantity, bool is_compared) {
  fmt::print("  {:>18} {:>18} {:>12}", quantity.by, "simulated", "±");
  if (is_compared) fmt::print(" {:>18}", "in theory");
  fmt::print("   ({})\n", quantity.quantity);
  std::size_t holds = 0;
  for (std::size_t i = 0; i < quantity.points.size(); ++i) {
    const Replicated& point = quantity.points[i];
    const MeanInterval interval = mean_interval(point.values);
    holds += interval.low <= point.expected && point.expected <= interval.high;
    if (i % step_of(quantity.points.size()) != 0) continue;
    fmt::print("  {:>18.4g} {:>18.5g} {:>12.2g}", point.x, interval.mean, interval.high - interval.mean);
    if (is_compared) fmt::print(" {:>18.5g}", point.expected);
    fmt::print("\n");
  }
  if (is_compared) fmt::print("  {} of {} intervals contain the theory\n", holds, quantity.points.size());
}

}  // namespace

void print_result(const timewarp::Engine& engine, std::uint64_t seed, const timewarp::ComparedRun& run) {
  fmt::print("{}", run_text(engine, seed, run.total(), run.seconds));
  if (engine.options.worker.digest) fmt::print(", digest {:016x}", run.digest);
  fmt::print("\n");
}

void print_comparisons(const timewarp::ComparedRun& run) {
  for (const timewarp::Comparison& comparison : run.comparisons) {
    fmt::print("  {:>18} {:>18} {:>18}   ({})\n", comparison.by, "simulated", "in theory", comparison.quantity);
    double simulated = 0, expected = 0;
    for (std::size_t i = 0; i < comparison.points.size(); ++i) {
      const timewarp::Compared& point = comparison.points[i];
      simulated += point.simulated;
      expected += point.expected;
      if (i % step_of(comparison.points.size()) == 0)
        fmt::print("  {:>18.4g} {:>18.5g} {:>18.5g}\n", point.x, point.simulated, point.expected);
    }
    if (expected > 0) fmt::print("  over all, simulated ÷ theory = {:.4f}\n", simulated / expected);
  }
  for (const timewarp::Quantity& quantity : run.quantities) print_quantity(quantity);
}

void print_intervals(const std::filesystem::path& directory, int replicates) {
  fmt::print(
      "means of {} replicates; ± is half of the 95 % interval (Student's t), which misses the true mean in 5 % of "
      "studies\n",
      replicates);
  for (const auto& quantity : replicated_in(directory / "comparisons.csv", "simulated", true))
    print_replicated(quantity, true);
  for (const auto& quantity : replicated_in(directory / "quantities.csv", "value", false))
    print_replicated(quantity, false);
}

}  // namespace laxity::cli
