#include "apps/laxity/scale/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {
namespace {

using Row = std::map<std::string, std::string, std::less<>>;

std::vector<Row> rows_of(const std::filesystem::path& path) {
  const auto lines = read_csv(path);
  std::vector<Row> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    Row row;
    for (std::size_t column = 0; column < lines[line].size() && column < lines[0].size(); ++column)
      row[lines[0][column]] = lines[line][column];
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Treatment {
  int ranks;
  int mode;
  std::uint64_t work;
  bool faulty;
  friend auto operator<=>(const Treatment&, const Treatment&) = default;
};

Treatment treatment_of(const Row& run) {
  return {std::stoi(run.at("workers")), std::stoi(run.at("mode")), std::stoull(run.at("work")),
          run.at("fault") != "none"};
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Claim {
  std::string what, paper, here;
};

constexpr std::array metrics{"simstep_period_ns", "simstep_latency_updates", "delivery_failure_rate",
                             "delivery_clumpiness"};

class Study {
 public:
  explicit Study(const std::filesystem::path& directory) {
    std::map<std::string, Treatment> treatment_of_run;
    for (const Row& run : rows_of(directory / "runs.csv")) {
      const Treatment treatment = treatment_of(run);
      treatment_of_run.emplace(run.at("run"), treatment);
      rates_[treatment].push_back(std::stod(run.at("updates_per_second_per_worker")));
    }
    for (const Row& link : rows_of(directory / "qos.csv")) {
      if (link.at("neighbor_kind") != "host") continue;
      for (const char* metric : metrics)
        quality_[{treatment_of_run.at(link.at("run")), metric}].push_back(std::stod(link.at(metric)));
    }
  }

  [[nodiscard]] std::vector<Claim> claims() const {
    std::vector<Claim> all;
    std::set<std::uint64_t> works;
    int most = 0;
    for (const auto& [treatment, rates] : rates_) {
      works.insert(treatment.work);
      most = std::max(most, treatment.ranks);
    }
    for (const std::uint64_t work : works) {
      const bool light = work == *works.begin();
      const int ranks = rates_.contains({64, 3, work, false}) ? 64 : most;
      const std::string load = light ? "light load" : fmt::format("work {}", work);
      add_ratio(all, fmt::format("{}: rate of mode 3 at {} ranks / of one rank", load, ranks), light ? "0.63" : "0.92",
                {ranks, 3, work, false}, {1, 3, work, false});
      add_ratio(all, fmt::format("{}: rate of mode 3 / of mode 0 at {} ranks", load, ranks), light ? "7.8" : "2.1",
                {ranks, 3, work, false}, {ranks, 0, work, false});
    }
    for (const auto& [treatment, rates] : rates_) {
      if (treatment.faulty)
        add_medians(all, fmt::format("{} ranks, one slow / none, median of", treatment.ranks), treatment,
                    {treatment.ranks, treatment.mode, treatment.work, false});
      else if (treatment.ranks == 256 && treatment.mode == 3)
        add_medians(all, fmt::format("256 / 64 ranks, work {}, median of", treatment.work), treatment,
                    {64, 3, treatment.work, false});
    }
    return all;
  }

 private:
  void add_ratio(std::vector<Claim>& all, std::string what, std::string paper, const Treatment& one,
                 const Treatment& other) const {
    if (one.ranks == other.ranks && one.mode == other.mode) return;
    const auto above = rates_.find(one), below = rates_.find(other);
    if (above == rates_.end() || below == rates_.end() || mean(below->second) == 0) return;
    all.push_back(
        {std::move(what), std::move(paper), fmt::format("{:.2f}", mean(above->second) / mean(below->second))});
  }

  void add_medians(std::vector<Claim>& all, const std::string& what, const Treatment& one,
                   const Treatment& other) const {
    for (const char* metric : metrics) {
      const auto now = quality_.find({one, metric}), then = quality_.find({other, metric});
      if (now == quality_.end() || then == quality_.end()) continue;
      all.push_back({fmt::format("{} {}", what, metric), "the same",
                     fmt::format("{:.4g} / {:.4g}", median(now->second), median(then->second))});
    }
  }

  std::map<Treatment, std::vector<double>> rates_;
  std::map<std::pair<Treatment, std::string_view>, std::vector<double>> quality_;
};

}  // namespace

std::string scale_claims(const std::filesystem::path& directory) {
  const std::vector<Claim> claims = Study(directory).claims();
  if (claims.empty()) return "";
  std::string csv = "claim,paper,here\n";
  std::size_t width = 5;
  for (const Claim& claim : claims) {
    csv += fmt::format("{},{},{}\n", cell(claim.what), cell(claim.paper), cell(claim.here));
    width = std::max(width, claim.what.size());
  }
  replace_file(directory / "claims.csv", csv);
  std::string table = fmt::format("{:<{}}  {:>8}  {}\n", "claim", width, "paper", "here");
  for (const Claim& claim : claims)
    table += fmt::format("{:<{}}  {:>8}  {}\n", claim.what, width, claim.paper, claim.here);
  return table;
}

}  // namespace laxity::cli
