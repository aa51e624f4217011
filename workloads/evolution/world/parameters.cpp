#include "workloads/evolution/world/parameters.hpp"

#include <string>

#include "laxity/error.hpp"

namespace laxity::evolution {

Parameters parameters_of_preset(std::string_view name) {
  Parameters parameters;
  if (name == "benchmark") {
    parameters.periods.receive = 8;
    parameters.periods.group_harvest = 16;
    return parameters;
  }
  if (name != "life") throw UsageError("preset " + std::string(name) + ": must be benchmark or life");
  parameters.cells_per_worker = 10'000;
  parameters.program_length = 128;
  parameters.cpu.cores = 32;
  parameters.mutation = {
      .occurrence = {0.1, 0.1, 1}, .bit_flip = 0.0002, .defect = 0.001, .severe_defect = 0.001, .max_length = 4096};
  parameters.resource.start_max = 0.9;
  parameters.resource.defense_cost = 1.1;
  parameters.best_group_size = {12, 12};
  parameters.group_expiry = {256, 1024};
  return parameters;
}

void check(const Parameters& parameters) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw UsageError(what);
  };
  const Periods& periods = parameters.periods;
  require(periods.birth % periods.exchange == 0, "period birth: must be a multiple of period exchange");
  require(parameters.resource.start_min <= parameters.resource.start_max, "start_max: must be at least start_min");
  require(parameters.program_length <= parameters.mutation.max_length,
          "program_length: must be at most the max_length of a program");
}

}  // namespace laxity::evolution
