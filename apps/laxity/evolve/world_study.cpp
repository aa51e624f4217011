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
#include "apps/laxity/launch/deferred_signals.hpp"
#include "apps/laxity/launch/host_disturbances.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/python_interpreter.hpp"
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

// The run directory of a study.
struct WorldRecord {
  WorldRecord(const std::filesystem::path& output, Manifest manifest)
      : directory(output, std::move(manifest)), tables(output) {}

  RunDirectory directory;
  WorldTables tables;
};

class WorldRunner {
 public:
  /// `record` is nullptr but in the rank that writes.
  WorldRunner(const WorldStudy& study, const evolution::Parameters& parameters,
              const std::vector<evolution::Genome>& ancestors, WorldRecord* record)
      : study_(study),
        parameters_(parameters),
        ancestors_(ancestors),
        record_(record),
        progress_(study.quiet || record == nullptr) {}

  /// False if interrupted.
  bool run_all() {
    const DeferredSignals between_runs;
    const std::vector<PlannedWorld> planned = worlds_of(study_);
    const std::int64_t pictured = pictured_world(planned);
    for (const PlannedWorld& world : planned) {
      if (is_done(world)) continue;
      const std::string what = fmt::format("run {} of {}: {}", world.run + 1, planned.size(), title_of(world));
      const auto progress = [&](double fraction) {
        DeferredSignals::deliver();
        progress_.show((static_cast<double>(world.run) + fraction) / static_cast<double>(planned.size()), what);
      };
      if (!run_one(world, progress, world.run == pictured)) return false;
    }
    progress_.clear();
    return true;
  }

  [[nodiscard]] bool lost_workers() const noexcept { return lost_workers_; }
  /// As TeamReport::interruption().
  [[nodiscard]] const std::string& interrupted_by() const noexcept { return interrupted_by_; }

 private:
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
    if (result.team.interrupted) {
      interrupted_by_ = result.team.interruption();
      return false;
    }
    lost_workers_ = lost_workers_ || !result.team.all_finished();
    at_first_rank(study_.ranks, [&] {
      progress_.clear();
      if (!result.team.all_finished()) {
        fmt::print(stderr, "laxity: run {} ({}): {}\n", planned.run, title_of(planned), result.team.losses());
      }
      record_->directory.note_placement(planned.shape.text() + ": " + result.placement);
      record_->tables.add(planned, run, result, disturbances, pictured);
    });
    return study_.ranks == nullptr || !study_.ranks->has_lost_a_rank();
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

  // Only the rank that writes knows it.
  [[nodiscard]] bool is_done(const PlannedWorld& planned) const {
    const bool done = record_ != nullptr && record_->directory.runs_done().contains(planned.run);
    return study_.ranks != nullptr ? study_.ranks->allgather_values(done ? 1 : 0).front() != 0 : done;
  }

  const WorldStudy& study_;
  const evolution::Parameters& parameters_;
  const std::vector<evolution::Genome>& ancestors_;
  WorldRecord* record_;
  ProgressLine progress_;
  bool lost_workers_ = false;
  std::string interrupted_by_;
};

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

// Records in the directory and on the terminal how the study ended. Returns the exit code.
int conclude_worlds(const WorldStudy& study, WorldRecord& record, const WorldRunner& runner, bool whole) {
  const std::string output = record.directory.path().string();
  const bool lost_a_rank = study.ranks != nullptr && study.ranks->has_lost_a_rank();
  record.directory.finish(whole ? "done" : lost_a_rank ? "failed" : "interrupted", runner.interrupted_by());
  if (!whole) {
    fmt::print(stderr, "laxity: {}; the finished runs are in {}; the same command with --output {} resumes\n",
               lost_a_rank ? "a rank was lost" : "interrupted by " + runner.interrupted_by(), output, output);
    return 1;
  }
  if (!study.quiet) {
    print_worlds(record.directory.path(), worlds_of(study));
    fmt::print("results in {}\n", output);
  }
  if (study.report) {
    if (const int code = run_python_laxity({"report", output}); code != 0) return code;
  }
  return runner.lost_workers() ? 1 : 0;
}

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
    Manifest manifest = manifest_of_this_machine("evolution", output.filename().string(), study.argc, study.argv);
    manifest.seed = study.seed;
    manifest.configuration = configuration_of_worlds(study, parameters);
    if (study.ranks != nullptr) {
      manifest.versions["mpi"] = study.ranks->library();
      manifest.hosts = study.ranks->map().host_names;
    }
    record.emplace(output, std::move(manifest));
  });
  WorldRunner runner(study, parameters, ancestors, record ? &*record : nullptr);
  bool whole = false;
  try {
    whole = runner.run_all();
  } catch (...) {
    if (record) record->directory.finish("failed");
    throw;
  }
  int code = whole && !runner.lost_workers() ? 0 : 1;
  at_first_rank(study.ranks, [&] { code = conclude_worlds(study, *record, runner, whole); });
  return code;
}

}  // namespace laxity::cli
