#include "apps/laxity/evolve/world_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "apps/laxity/evolve/world_tables.hpp"
#include "apps/laxity/launch/host_disturbances.hpp"
#include "apps/laxity/launch/team_study.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "workloads/evolution/genome/genome_file.hpp"
#include "workloads/evolution/run/evolution_run.hpp"
#include "workloads/evolution/world/parameters_file.hpp"

namespace laxity::cli {
namespace {

using evolution::EvolutionResult;
using evolution::EvolutionRun;

std::vector<PlannedWorld> worlds_of(const WorldStudy& study) {
  std::vector<PlannedWorld> planned;
  for (int replicate = 0; replicate < study.replicates; ++replicate) {
    for (const Shape& shape : study.shapes) {
      for (const PacingMode mode : study.modes) {
        planned.push_back({shape, mode, static_cast<std::int64_t>(planned.size()), replicate});
      }
    }
  }
  return planned;
}

// One run of a study has a picture: the first one of the largest team, in mode 3 if that is among the modes.
std::int64_t pictured_world(const std::vector<PlannedWorld>& planned) {
  const auto rank = [](const PlannedWorld& world) {
    return std::tuple(-world.replicate, world.shape.workers(), world.mode == PacingMode::none);
  };
  return std::ranges::max_element(planned, {}, rank)->run;
}

Configuration configuration_of_worlds(const WorldStudy& study, const evolution::Parameters& parameters) {
  std::vector<std::string> shapes, lines;
  std::vector<std::int64_t> modes;
  for (const Shape& shape : study.shapes) shapes.push_back(shape.text());
  for (const PacingMode mode : study.modes) modes.push_back(static_cast<int>(mode));
  const std::string text = evolution::format_parameters(parameters);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return {{"study", study.name},
          {"preset", study.preset},
          {"shapes", shapes},
          {"modes", modes},
          {"replicates", std::int64_t{study.replicates}},
          {"duration_s", study.duration_s},
          {"updates", static_cast<std::int64_t>(study.updates)},
          {"window_s", study.window_s},
          {"jitter_ns", study.jitter_ns},
          {"send_depth", static_cast<std::int64_t>(study.send_depth)},
          {"pictures", std::int64_t{study.pictures}},
          {"phylogeny", std::int64_t{study.phylogeny ? 1 : 0}},
          {"checkpoint", study.checkpoint},
          {"resume", study.resume},
          {"seed", static_cast<std::int64_t>(study.seed)},
          {"ancestors", study.ancestors},
          {"parameters", lines}};
}

using WorldRecord = StudyRecord<WorldTables>;

void print_worlds(const std::filesystem::path& directory, const std::vector<PlannedWorld>& planned) {
  const std::filesystem::path runs = directory / "runs.csv";
  const std::vector<double> numbers = read_column(runs, "run"), living = read_column(runs, "living");
  const std::vector<double> rates = read_column(runs, "updates_per_second_per_worker");
  const std::vector<double> births = read_column(runs, "births");
  fmt::print("{:>4}  {:<24} {:>9} {:>20} {:>10} {:>10}\n", "run", "treatment", "replicate", "updates/s per worker",
             "living", "births");
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const PlannedWorld& world = planned.at(static_cast<std::size_t>(numbers[row]));
    fmt::print("{:>4}  {:<24} {:>9} {:>20.1f} {:>10.0f} {:>10.0f}\n", world.run, title_of(world), world.replicate,
               rates[row], living[row], births[row]);
  }
}

class WorldRunner {
 public:
  /// `record` is nullptr but in the rank that writes.
  WorldRunner(const WorldStudy& study, const evolution::Parameters& parameters,
              const std::vector<evolution::Genome>& ancestors, WorldRecord* record)
      : study_(study),
        parameters_(parameters),
        ancestors_(ancestors),
        record_(record),
        planned_(worlds_of(study)),
        loop_({.ranks = study.ranks, .report = study.report, .quiet = study.quiet},
              record == nullptr ? nullptr : &record->directory) {}

  /// As TeamStudy::run().
  int run_all() {
    const std::int64_t pictured = pictured_world(planned_);
    std::vector<TeamStudy::Run> runs;
    for (const PlannedWorld& world : planned_) runs.push_back(listed(world));
    return loop_.run(
        runs,
        [&](std::size_t index, const auto& progress) {
          return run_one(planned_[index], progress, planned_[index].run == pictured);
        },
        [this] { print_worlds(record_->directory.path(), planned_); });
  }

 private:
  static TeamStudy::Run listed(const PlannedWorld& world) { return {world.run, world.shape.text(), title_of(world)}; }

  bool run_one(const PlannedWorld& planned, const std::function<void(double)>& progress, bool pictured) {
    const Topology topology =
        evolution::world_topology(parameters_, static_cast<std::uint32_t>(planned.shape.workers()));
    const Partition partition = partitions::blocks(topology, static_cast<std::uint32_t>(planned.shape.workers()));
    EvolutionRun run = make_world_run(planned, topology, partition);
    if (pictured) {
      run.pictures = study_.pictures;
      run.record_births = study_.phylogeny;
    }
    const HostDisturbances host_disturbances(study_.ranks);
    const EvolutionResult result = evolution::run_evolution(run, progress);
    const std::vector<Disturbance> disturbances = host_disturbances.since_begin();
    return loop_.record(listed(planned), result.team, result.placement,
                        [&] { record_->tables.add(planned, run, result, disturbances, pictured); });
  }

  [[nodiscard]] EvolutionRun make_world_run(const PlannedWorld& planned, const Topology& topology,
                                            const Partition& partition) const {
    EvolutionRun run{.topology = topology,
                     .partition = partition,
                     .team = {},
                     .pacing = {},
                     .parameters = parameters_,
                     .ancestors = ancestors_,
                     .seed = study_.seed + static_cast<std::uint64_t>(planned.replicate),
                     .send_depth = study_.send_depth,
                     .duration_ns = std::llround(study_.duration_s * 1e9),
                     .updates = study_.updates,
                     .window_ns = std::llround(std::min(study_.window_s, study_.duration_s * 2 / 3) * 1e9),
                     .jitter_ns = study_.jitter_ns,
                     .checkpoint = study_.checkpoint,
                     .checkpoint_interval = study_.checkpoint.empty() ? 0 : study_.checkpoint_interval,
                     .resume = study_.resume};
    run.team.threads = planned.shape.threads;
    run.team.ranks = study_.ranks;
    if (study_.ranks == nullptr) run.team.processes = planned.shape.processes;
    place(run.team, study_);
    // In a mode with barriers the others would wait for a lost worker forever.
    run.team.on_loss =
        planned.mode == PacingMode::none || planned.mode == PacingMode::isolated ? LossPolicy::go_on : LossPolicy::end;
    run.pacing.mode = planned.mode;
    return run;
  }

  const WorldStudy& study_;
  const evolution::Parameters& parameters_;
  const std::vector<evolution::Genome>& ancestors_;
  WorldRecord* record_;
  std::vector<PlannedWorld> planned_;
  TeamStudy loop_;
};

}  // namespace

std::string title_of(const PlannedWorld& planned) {
  return fmt::format("{}, mode {} {}", planned.shape.text(), static_cast<int>(planned.mode),
                     laxity::name_of(planned.mode));
}

evolution::Parameters parameters_of(const WorldStudy& study) {
  evolution::Parameters parameters = evolution::parameters_of_preset(study.preset);
  if (!study.configuration.empty()) evolution::read_parameters_file(study.configuration, parameters);
  if (study.cells_per_worker != 0) parameters.cells_per_worker = study.cells_per_worker;
  evolution::check(parameters);
  return parameters;
}

void print_parameters(const WorldStudy& study) { fmt::print("{}", evolution::format_parameters(parameters_of(study))); }

int run_world_study(const WorldStudy& study) {
  evolution::Parameters parameters;
  std::vector<evolution::Genome> ancestors;
  const auto prepare = [&] {
    parameters = parameters_of(study);
    const std::size_t runs = worlds_of(study).size();
    if (runs != 1 && !(study.checkpoint.empty() && study.resume.empty())) {
      throw UsageError(fmt::format("checkpoints are of a single run, this study has {}", runs));
    }
    for (const std::string& file : study.ancestors) ancestors.push_back(evolution::read_genome_file(file));
    for (const Shape& shape : study.shapes) {
      if (shape.workers() > Team::max_workers) {
        throw UsageError(fmt::format("team {}: at most {} workers", shape.text(), Team::max_workers));
      }
      static_cast<void>(evolution::world_topology(parameters, static_cast<std::uint32_t>(shape.workers())));
    }
  };
  study.ranks != nullptr ? study.ranks->agree(prepare) : prepare();
  std::optional<WorldRecord> record;
  at_first_rank(study.ranks, [&] {
    const std::filesystem::path output = study.output.empty() ? default_output(study.name) : study.output;
    Manifest manifest = manifest_of_team_study("evolution", output, study.ranks, study.argc, study.argv);
    manifest.seed = study.seed;
    manifest.configuration = configuration_of_worlds(study, parameters);
    record.emplace(output, std::move(manifest));
  });
  return WorldRunner(study, parameters, ancestors, record ? &*record : nullptr).run_all();
}

}  // namespace laxity::cli
