// The parameters of a world, with the values of two presets.
//
// Source: specs of DISHTINY at an early and at a late commit; `benchmark` has what the papers on best-effort communication
//   used (the rest from the early one), `life` the late values.
// Elsewhere: parameters as a file (parameters_file.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "workloads/evolution/cpu/virtual_cpu.hpp"
#include "workloads/evolution/genome/genome.hpp"
#include "workloads/evolution/genome/mutation.hpp"

namespace laxity::evolution {

/// Periods of the services of a cell, updates. What is not here happens in every update.
struct Periods {
  std::uint32_t receive = 4;        ///< of resource
  std::uint32_t group_harvest = 4;  ///< of resource, by kin groups
  std::uint32_t exchange = 8;       ///< of states and messages with neighbors; events, epochs, diversity, defects
  std::uint32_t birth = 16;         ///< births, spawns, apoptosis, and sending of messages; a multiple of exchange
  std::uint32_t baseline = 32;      ///< decay of regulators, controls return to their defaults
  std::uint32_t expiration = 64;    ///< of kin groups
};

struct ResourceParameters {
  double start_min = 0.8;       ///< stockpile of a newborn: uniform from here ...
  double start_max = 0.8;       ///< ... to here
  double base_harvest = 0.02;   ///< per cell and update
  double group_harvest = 0.02;  ///< per cell, level, and member of the group besides itself
  double keep = 0.995;          ///< factor of every stockpile per update
  double spawn_cost = 1;        ///< also the least stockpile that spawns
  double defense_cost = 1;      ///< of repelling one offspring of a neighbor
  double apoptosis = 0.8;       ///< created for the heirs of a cell that requested its death
  double max_lineage = 0.25;    ///< share of a worker's live cells above which a lineage loses stockpile
};

struct Parameters {
  std::uint32_t cells_per_worker = 3600;
  std::uint32_t program_length = 100;  ///< of the first genomes, instructions
  CpuLimits cpu{};
  std::uint32_t slices = 16;  ///< of each virtual CPU per update
  MutationRates mutation{};
  ResourceParameters resource{};
  std::array<std::uint32_t, kin_levels> best_group_size{6, 24};
  std::array<std::uint32_t, kin_levels> group_expiry{1000, 10000};  ///< epochs
  double expiry_rate = 0.1;                                         ///< probability per epoch over age
  double control_defect = 0.0005;                                   ///< probability per control and exchange
  std::uint32_t max_messages = 32;                                  ///< to a neighbor, per cardinal and birth period
  Periods periods{};
};

/// "benchmark" or "life". Throws UsageError.
[[nodiscard]] Parameters parameters_of_preset(std::string_view name);

/// Throws UsageError naming a value out of range.
void check(const Parameters& parameters);

}  // namespace laxity::evolution
