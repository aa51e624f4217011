// SpscRing and its peers: throughput and round trip for several message sizes, with ratios within each round.
//
// usage: ring_benchmark [--rounds N] [--csv FILE] [--smoke]
#include <cstdio>
#include <functional>
#include <string>

#include "benchmarks/rounds.hpp"
#include "links.hpp"

namespace laxity::bench {
namespace {

struct Candidate {
  std::string name;
  bool peer;
  std::function<double()> throughput;  // million messages per second; empty: not measured
  std::function<double()> round_trip;  // ns; empty: not measured
  std::vector<double> rates{};
  std::vector<double> trips{};
  std::vector<double> rate_ratios{};  // throughput / that of the best peer of the round
  std::vector<double> rate_shares{};  // throughput / that of the bare lines
  std::vector<double> trip_ratios{};
  std::vector<double> floor_ratios{};  // round trip / that of the bare line
};

template <class Link>
Candidate candidate(std::string name, bool peer, Between between, std::uint64_t messages, std::uint64_t trips) {
  return {std::move(name), peer, [=] { return throughput<Link>(messages, between); },
          [=] { return round_trip<Link>(trips, between); }};
}

constexpr std::size_t bare_line = 0;   // index of the lower bound of a round trip
constexpr std::size_t bare_lines = 1;  // index of the upper bound of throughput

void measure_round(std::vector<Candidate>& candidates) {
  double best_rate = 0;
  double best_trip = 1e18;
  for (auto& each : candidates) {
    if (each.throughput) {
      each.rates.push_back(each.throughput());
      if (each.peer) best_rate = std::max(best_rate, each.rates.back());
    }
  }
  for (auto& each : candidates) {
    if (!each.round_trip) continue;
    each.trips.push_back(each.round_trip());
    if (each.peer) best_trip = std::min(best_trip, each.trips.back());
  }
  const double most = candidates[bare_lines].rates.back();
  const double min_ns = candidates[bare_line].trips.back();
  for (auto& each : candidates) {
    if (each.throughput) {
      each.rate_shares.push_back(each.rates.back() / most);
      if (best_rate > 0) each.rate_ratios.push_back(each.rates.back() / best_rate);
    }
    if (each.round_trip) {
      each.floor_ratios.push_back(each.trips.back() / min_ns);
      if (best_rate > 0) each.trip_ratios.push_back(each.trips.back() / best_trip);
    }
  }
}

std::string cell(const char* format, const std::vector<double>& values) {
  if (values.empty()) return "";
  char text[32];
  std::snprintf(text, sizeof text, format, median(values));
  return text;
}

// Where the host has put the cores, by the round trip of the bare line: all ratios depend on it.
const char* state_of_cores(double bare_line_ns) {
  return bare_line_ns < 80 ? "near" : bare_line_ns < 250 ? "at a middle distance" : "distant";
}

void report(const char* between, std::size_t bytes, const std::vector<Candidate>& candidates, CommandLine& line) {
  const double bare_line_ns = median(candidates[bare_line].trips);
  std::printf("\n%s, %zu B; cores %s (bare line %.0f ns)\n", between, bytes, state_of_cores(bare_line_ns),
              bare_line_ns);
  std::printf("%-22s %10s %12s %13s %9s %12s %12s\n", "", "M msg/s", "/ best peer", "/ bare lines", "trip ns",
              "/ best peer", "/ bare line");
  for (const auto& each : candidates) {
    std::printf("%-22s %10s %12s %13s %9s %12s %12s\n", each.name.c_str(), cell("%.1f", each.rates).c_str(),
                cell("%.2f", each.rate_ratios).c_str(), cell("%.2f", each.rate_shares).c_str(),
                cell("%.0f", each.trips).c_str(), cell("%.2f", each.trip_ratios).c_str(),
                cell("%.2f", each.floor_ratios).c_str());
    const auto value = [](const std::vector<double>& values, std::size_t round) {
      return round < values.size() ? std::to_string(values[round]) : "";
    };
    const std::size_t rounds = std::max(each.rates.size(), each.trips.size());
    for (std::size_t round = 0; line.csv.is_open() && round < rounds; ++round) {
      line.csv << between << ',' << bytes << ",\"" << each.name << "\"," << round << ',' << value(each.rates, round)
               << ',' << value(each.trips, round) << '\n';
    }
  }
}

template <std::size_t bytes, std::size_t capacity>
void compare(Between between, std::uint64_t messages, std::uint64_t trips, CommandLine& line) {
  using M = Message<bytes>;
  const std::uint64_t scale = line.smoke ? 50 : 1;
  messages = std::max<std::uint64_t>(messages / scale, 1000);
  trips = std::max<std::uint64_t>(trips / scale, 200);
  std::vector<Candidate> candidates;
  candidates.push_back({"bare line", false, {}, [=] { return round_trip<BareLine>(trips, between); }});
  candidates.push_back(
      {"bare lines", false, [=] { return throughput<BareLines<M, capacity>>(messages, between); }, {}});
  candidates.push_back(candidate<Laxity<M, capacity, 1>>("laxity", false, between, messages, trips));
  candidates.push_back(candidate<Laxity<M, capacity, 64>>("laxity, batches of 64", false, between, messages, trips));
  if (between == Between::threads) {
    candidates.push_back(candidate<Boost<M, capacity>>("boost spsc_queue", true, between, messages, trips));
    candidates.push_back(candidate<Moodycamel<M, capacity>>("moodycamel", true, between, messages, trips));
    candidates.push_back(candidate<Textbook<M, capacity>>("textbook", true, between, messages, trips));
  }
  for (int round = 0; round < line.rounds; ++round) measure_round(candidates);
  report(between == Between::threads ? "threads" : "processes", bytes, candidates, line);
  std::fflush(stdout);
}

}  // namespace
}  // namespace laxity::bench

int main(int argc, char** argv) {
  using namespace laxity::bench;
  auto line =
      read_command_line(argc, argv, 15, "between,bytes,candidate,round,throughput_millions_per_s,round_trip_ns");
  for (const Between between : {Between::threads, Between::processes}) {
    compare<4, 1024>(between, 2'000'000, 2000, line);
    compare<64, 1024>(between, 400'000, 2000, line);
    compare<216, 1024>(between, 200'000, 2000, line);
    compare<12'288, 64>(between, 4'000, 400, line);
  }
}
