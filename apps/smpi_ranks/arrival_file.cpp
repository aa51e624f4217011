#include "apps/smpi_ranks/arrival_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "laxity/error.hpp"

namespace laxity {
namespace {

using collective::ArrivalCell;
using collective::Repetition;
using nlohmann::json;

json read_json(const std::string& path) {
  std::ifstream file(path);
  const json in = json::parse(file, nullptr, false);
  if (in.is_discarded()) throw Error(path + " is missing or cut short");
  return in;
}

}  // namespace

std::string format_arrivals(const ArrivalsFile& arrivals) {
  const collective::ArrivalBlock& block = arrivals.block;
  json out{{"collective", name_of(block.collective)},
           {"bytes", block.bytes},
           {"seed", block.seed},
           {"algorithms", json::array()},
           {"patterns", json::array()},
           {"custom_patterns", json::array()},
           {"skews", json::array()},
           {"output", arrivals.output}};
  for (std::size_t at = 0; at < block.algorithms.size(); ++at)
    out["algorithms"].push_back({{"id", block.algorithms[at].id},
                                 {"name", block.algorithms[at].name},
                                 {"simulator", arrivals.simulator_names[at]}});
  for (const collective::Pattern pattern : block.patterns) out["patterns"].push_back(name_of(pattern));
  for (const collective::ArrivalPattern& pattern : block.custom_patterns)
    out["custom_patterns"].push_back({{"name", pattern.name}, {"delays_s", pattern.delays_s}});
  for (const collective::SkewPolicy& skew : block.skews)
    out["skews"].push_back({{"kind", skew.kind}, {"factor", skew.factor}, {"seconds", skew.seconds}});
  return out.dump();
}

ArrivalsFile read_arrivals(const std::string& path) {
  const json in = read_json(path);
  ArrivalsFile arrivals{.block = {.collective = collective::collective_named(in.at("collective").get<std::string>()),
                                  .bytes = in.at("bytes"),
                                  .algorithms = {},
                                  .patterns = {},
                                  .custom_patterns = {},
                                  .skews = {},
                                  .seed = in.at("seed")},
                        .simulator_names = {},
                        .output = in.at("output")};
  for (const json& algorithm : in.at("algorithms")) {
    arrivals.block.algorithms.push_back({algorithm.at("id"), algorithm.at("name")});
    arrivals.simulator_names.push_back(algorithm.at("simulator"));
  }
  for (const json& name : in.at("patterns"))
    arrivals.block.patterns.push_back(collective::pattern_named(name.get<std::string>()));
  for (const json& pattern : in.at("custom_patterns"))
    arrivals.block.custom_patterns.push_back(
        {.name = pattern.at("name"), .seed = {}, .delays_s = pattern.at("delays_s")});
  for (const json& skew : in.at("skews"))
    arrivals.block.skews.push_back(
        {.kind = skew.at("kind"), .factor = skew.at("factor"), .seconds = skew.at("seconds")});
  return arrivals;
}

void write_block_result(const std::string& path, const collective::BlockResult& result) {
  json out{{"verdicts", result.verdicts}, {"cells", json::array()}};
  for (const ArrivalCell& cell : result.cells)
    out["cells"].push_back({{"algorithm", cell.algorithm},
                            {"pattern", cell.pattern},
                            {"skew_us", cell.skew_us},
                            {"last_delay_us", cell.repetitions.front().last_delay_us},
                            {"total_delay_us", cell.repetitions.front().total_delay_us}});
  std::ofstream file(path);
  file << out;
  if (!file.flush()) throw Error(path + " cannot be written");
}

collective::BlockResult read_block_result(const std::string& path) {
  const json in = read_json(path);
  collective::BlockResult result{.verdicts = in.at("verdicts"), .cells = {}};
  for (const json& cell : in.at("cells"))
    result.cells.push_back(collective::simulated_cell(
        {.algorithm = cell.at("algorithm"), .pattern = cell.at("pattern"), .skew_us = cell.at("skew_us")},
        cell.at("last_delay_us"), cell.at("total_delay_us")));
  return result;
}

}  // namespace laxity
