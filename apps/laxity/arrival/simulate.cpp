#include "apps/laxity/arrival/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "apps/laxity/arrival/choice_tables.hpp"
#include "apps/laxity/arrival/smpi_arrivals.hpp"
#include "apps/laxity/arrival/study_tables.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/collective/aliases.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/error.hpp"
#include "laxity/schedule/arrival_simulation.hpp"
#include "laxity/schedule/machine_file.hpp"

namespace laxity::cli {
namespace {

using collective::Algorithm;

// Of all algorithms of a simulator, those that were asked for; those that fall back to another one at this size are left
// out.
PlannedBlock plan(const ArrivalStudy& study, const ArrivalCase& each, const std::vector<Algorithm>& all, int ranks) {
  const auto same = aliases(collective::Library::open_mpi, each.collective, all, ranks, each.bytes);
  PlannedBlock planned{.block = {.collective = each.collective,
                                 .bytes = each.bytes,
                                 .algorithms = {},
                                 .patterns = study.patterns,
                                 .custom_patterns = study.custom_patterns,
                                 .skews = each.skews,
                                 .seed = study.seed},
                       .left_out = {}};
  const auto is_wanted = [&](const Algorithm& algorithm) {
    if (study.algorithms.empty()) return study.with_own || !collective::is_own(algorithm.id);
    return std::ranges::find(study.algorithms, algorithm.id) != study.algorithms.end();
  };
  for (const Algorithm& algorithm : all) {
    if (!is_wanted(algorithm)) continue;
    const bool is_alias = !study.with_aliases && std::ranges::any_of(same, [&](const collective::Alias& one) {
      return one.algorithm == algorithm && is_wanted(one.runs);
    });
    if (is_alias)
      planned.left_out.emplace_back(algorithm, "alias");
    else
      planned.block.algorithms.push_back(algorithm);
  }
  if (planned.block.algorithms.empty())
    throw UsageError(fmt::format("the simulator has no algorithms with these numbers for {}; see laxity schedule list",
                                 name_of(each.collective)));
  return planned;
}

collective::BlockResult simulate_schedules(const collective::ArrivalBlock& block, const schedule::Machine& machine,
                                           int ranks) {
  const auto cells = simulate_arrivals(
      {.call = {.collective = block.collective, .ranks = static_cast<std::uint32_t>(ranks), .bytes = block.bytes},
       .algorithms = block.algorithms,
       .patterns = block.patterns,
       .custom_patterns = block.custom_patterns,
       .skews = block.skews,
       .seed = block.seed},
      machine, std::max(1U, std::thread::hardware_concurrency()));
  collective::BlockResult result;
  result.verdicts.assign(block.algorithms.size(), collective::Verdict::right);
  for (const schedule::SimulatedCell& cell : cells)
    result.cells.push_back(
        collective::simulated_cell({.algorithm = cell.algorithm, .pattern = cell.pattern, .skew_us = cell.skew_s * 1e6},
                                   cell.last_delay_s * 1e6, cell.total_delay_s * 1e6));
  return result;
}

}  // namespace

std::string simulate_arrival_study(const ArrivalStudy& asked, const SimulatedMachine& simulated) {
  const auto& [simulator, machine_name, ranks] = simulated;
  const schedule::Machine machine = schedule::machine_named(machine_name);
  ArrivalStudy study = asked;
  if (study.output.empty()) study.output = default_output("arrival");
  Configuration configuration{{"simulator", simulator}, {"machine", format_machine(machine)}};
  std::optional<SmpiArrivals> smpi;
  if (simulator == "smpi") {
    smpi.emplace(std::filesystem::path(study.output) / "smpi", machine, ranks);
    configuration.emplace_back("simulator_command", smpi->command());
  }
  std::vector<PlannedBlock> blocks;
  for (const ArrivalCase& each : study.cases)
    blocks.push_back(
        plan(study, each, smpi ? smpi_algorithms(each.collective) : schedule::algorithms(each.collective), ranks));
  ArrivalTables tables(study, {.library = "simulated",
                               .version = machine.name,
                               .processes = ranks,
                               .hosts = static_cast<int>(machine.hosts(static_cast<std::uint32_t>(ranks))),
                               .configuration = std::move(configuration)});
  ProgressLine line(study.quiet);
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    const auto run = static_cast<std::int64_t>(at);
    if (tables.directory().runs_done().contains(run)) continue;
    const collective::ArrivalBlock& block = blocks[at].block;
    line.show(static_cast<double>(at) / static_cast<double>(blocks.size()),
              fmt::format("{} of {} bytes", name_of(block.collective), block.bytes));
    const std::int64_t begin_ns = SteadyClock{}.now_ns();
    const auto result = smpi ? smpi->simulate(block) : simulate_schedules(block, machine, ranks);
    if (!result) {
      tables.directory().finish("interrupted");
      throw Error("interrupted; the same command with --output " + study.output + " continues the study");
    }
    tables.add(run, blocks[at], *result, static_cast<double>(SteadyClock{}.now_ns() - begin_ns) * 1e-9);
  }
  line.clear();
  const std::filesystem::path path = tables.directory().path();
  conclude_simulation(path, study.quiet);
  tables.directory().finish("done");
  return path.string();
}

}  // namespace laxity::cli
