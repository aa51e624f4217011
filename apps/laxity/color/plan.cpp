#include "apps/laxity/color/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "laxity/error.hpp"
#include "laxity/mesh/partitions/partition_report.hpp"
#include "workloads/coloring/replayed_coloring.hpp"

namespace laxity::cli {
namespace {

constexpr double max_rows = 1e6;  // of a table, in a study

void add_if_new(auto& values, const auto& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

// With packing plain every cut edge is a channel, which has a row in each snapshot.
void check_rows(const ColorStudy& study, const ColorMeshes& meshes) {
  if (!study.per_channel || study.packing != ColorPacking::plain) return;

  double rows = 0;
  for (const PlannedRun& planned : runs_of(study)) {
    const Topology& topology = meshes.topology(planned);
    const Partition& partition = meshes.partition(planned);
    const ColoringRun run = make_run(study, planned, topology, partition);
    if (run.window_ns == 0) return;
    const double snapshots = std::max(1.0, std::floor(study.duration_s * 1e9 / static_cast<double>(run.window_ns)));
    rows += snapshots * static_cast<double>(report_partition(topology, partition).cut_edges + partition.workers());
  }
  if (rows > max_rows)
    throw UsageError(
        fmt::format("--per-channel: {:.3g} rows in qos.csv, at most {:.0e}: use a smaller mesh, a better "
                    "partition, longer windows or fewer runs",
                    rows, max_rows));
}

// The links between workers in a run.
std::uint64_t links_of(const ColorStudy& study, const ColorMeshes& meshes, const ColorTreatment& treatment) {
  std::uint64_t links = 0;
  for (const auto& worker : report_partition(meshes.topology(treatment), meshes.partition(treatment)).workers)
    links += study.packing == ColorPacking::plain ? worker.cut_outputs : worker.neighbors;
  return links;
}

// Each worker has one more, for the edges inside it.
void check_links(const ColorStudy& study, const ColorMeshes& meshes) {
  for (const ColorTreatment& treatment : treatments_of(study)) {
    const std::uint64_t links =
        links_of(study, meshes, treatment) + static_cast<std::uint64_t>(treatment.shape.workers());
    if (links > study.max_links)
      throw UsageError(
          fmt::format("{}: {} links with packing {}, at most {}: give --max-links {}, or another --packing",
                      title_of(treatment), links, name_of(study.packing), study.max_links, links));
  }
}

void check_messages(const ColorStudy& study, const ColorMeshes& meshes) {
  if (study.message_log == 0) return;

  double rows = 0;
  for (const PlannedRun& planned : runs_of(study))
    rows += static_cast<double>(links_of(study, meshes, planned)) * static_cast<double>(study.message_log);
  if (rows > max_rows)
    throw UsageError(fmt::format("--message-log {}: {:.3g} rows in messages.csv, at most {:.0e}", study.message_log,
                                 rows, max_rows));
}

}  // namespace

std::vector<ColorTreatment> treatments_of(const ColorStudy& study) {
  if (!study.treatments.empty()) return study.treatments;
  std::vector<ColorTreatment> treatments;
  for (const Shape& shape : study.shapes) {
    ColorTreatment treatment{.shape = shape,
                             .nodes_per_worker = study.nodes_per_worker,
                             .work = study.coloring.work,
                             .mutex = study.mutex,
                             .fault = study.fault,
                             .reactions = study.reactions,
                             .parts_per_worker = study.parts_per_worker};
    for (const PacingMode mode : study.modes) {
      treatment.mode = mode;
      treatments.push_back(treatment);
    }
    if (!study.own_tori || shape.workers() == 1) continue;  // a single worker has a torus of its own anyway
    treatment.mode = PacingMode::isolated;
    treatment.own_tori = true;
    treatments.push_back(treatment);
  }
  return treatments;
}

std::vector<PlannedRun> runs_of(const ColorStudy& study) {
  std::vector<PlannedRun> runs;
  for (int replicate = 0; replicate < study.replicates; ++replicate)
    for (const ColorTreatment& treatment : treatments_of(study))
      runs.push_back({treatment, static_cast<std::int64_t>(runs.size()), replicate});
  return runs;
}

Configuration configuration_of(const ColorStudy& study) {
  std::vector<std::string> shapes, titles;
  std::vector<std::int64_t> modes;
  for (const ColorTreatment& treatment : treatments_of(study)) {
    add_if_new(shapes, treatment.shape.text());
    add_if_new(modes, static_cast<int>(treatment.mode));
    titles.push_back(title_of(treatment));
  }
  Configuration configuration{
      {"study", study.name},
      {"shapes", shapes},
      {"modes", modes},
      {"replicates", std::int64_t{study.replicates}},
      {"duration_s", study.duration_s},
      {"window_s", study.window_s},
      {"per_channel", study.per_channel},
      {"nodes_per_worker", std::int64_t{study.nodes_per_worker}},
      {"topology", study.topology},
      {"partition", study.partition},
      {"colors", std::int64_t{study.coloring.colors}},
      {"learning_rate", std::round(static_cast<double>(study.coloring.learning_rate) * 1e6) / 1e6},
      {"work", static_cast<std::int64_t>(study.coloring.work)},
      {"jitter_ns", study.coloring.jitter_ns},
      {"packing", std::string(name_of(study.packing))},
      {"view", std::string(study.view == ColoringView::block ? "block" : "node")},
      {"guard", std::string(study.mutex ? "mutex" : "lock-free")},
      {"send_depth", static_cast<std::int64_t>(study.layer.send_depth)},
      {"receive_depth", static_cast<std::int64_t>(study.layer.receive_depth)},
      {"overflow", std::string(to_string(study.layer.overflow))},
      {"every", std::int64_t{study.layer.every}},
      {"send_on_change", study.layer.send_on_change},
      {"pin", study.pin},
      {"seed", static_cast<std::int64_t>(study.coloring.seed)}};
  if (study.message_log != 0) configuration.emplace_back("message_log", static_cast<std::int64_t>(study.message_log));
  if (study.one_way_latency) configuration.emplace_back("one_way_latency", true);
  if (!study.reactions.empty()) configuration.emplace_back("reactions", study.reactions);
  if (study.own_tori) configuration.emplace_back("own_tori", true);
  if (study.parts_per_worker != 1) configuration.emplace_back("parts_per_worker", std::int64_t{study.parts_per_worker});
  if (study.interval_s != 0 || !study.treatments.empty()) configuration.emplace_back("interval_s", study.interval_s);
  if (study.topology != "torus")  // the file says how many nodes there are
    std::erase_if(configuration, [](const auto& option) { return option.first == "nodes_per_worker"; });
  if (!study.treatments.empty()) {
    // What differs between treatments is not an option of the study.
    std::erase_if(configuration, [](const auto& option) {
      return option.first == "nodes_per_worker" || option.first == "work" || option.first == "guard";
    });
    configuration.emplace_back("treatments", titles);
    configuration.emplace_back("pause_ns", study.treatments.front().fault.pause_ns);
  }
  if (study.ranks != nullptr) {
    configuration.emplace_back("shared_memory", study.of_ranks.shared_memory == "on");
    if (study.ranks->map().hosts() > 1) {
      configuration.emplace_back("messages", study.of_ranks.messages.empty() ? "recommended" : study.of_ranks.messages);
      configuration.emplace_back("mpi_threads", study.ranks->all_threads_may_send() ? "all" : "one");
    }
  }
  if (study.replay.enabled) study.replay.add_to(configuration);
  configuration.insert(configuration.end(), study.elsewhere.begin(), study.elsewhere.end());
  return configuration;
}

void check_options(const ColorStudy& study) {
  if (!(study.interval_s == 0 || (study.interval_s > study.window_s && study.interval_s < study.duration_s)))
    throw UsageError("--interval: must be longer than a snapshot and shorter than a run");
  const std::vector<ColorTreatment> treatments = treatments_of(study);
  for (const ColorTreatment& treatment : treatments)
    if (treatment.shape.workers() > Team::max_workers)
      throw UsageError(fmt::format("team {}: at most {} workers", treatment.shape.text(), Team::max_workers));
  if (!study.replay.enabled) return;
  study.replay.check();
  for (const ColorTreatment& treatment : treatments)
    if (const Shape& shape = treatment.shape; shape.processes != 0)
      throw UsageError(fmt::format("team {}: virtual workers are counted by --threads or --workers {}t", shape.text(),
                                   shape.workers()));
}

ColoringRun make_run(const ColorStudy& study, const PlannedRun& planned, const Topology& topology,
                     const Partition& partition) {
  ColoringRun run{.topology = topology,
                  .partition = partition,
                  .team = {},
                  .pacing = {},
                  .coloring = study.coloring,
                  .layer = study.layer};
  run.team.threads = planned.shape.threads;
  run.team.ranks = study.ranks;
  if (study.ranks == nullptr) run.team.processes = planned.shape.processes;
  place(run.team, study);
  // The memory of the rings grows with their number.
  run.team.arena_bytes *= std::max<std::size_t>(1, study.max_links / run.team.max_links);
  run.team.max_blocks = std::max(run.team.max_blocks, study.max_links);
  run.team.max_links = study.max_links;
  // In a mode with barriers the others would wait for a lost worker forever.
  run.team.on_loss =
      planned.mode == PacingMode::none || planned.mode == PacingMode::isolated ? LossPolicy::go_on : LossPolicy::end;
  run.pacing.mode = planned.mode;
  run.coloring.seed = study.coloring.seed + static_cast<std::uint64_t>(planned.replicate);
  run.packing = study.packing;
  run.view = study.view;
  run.mutex = planned.mutex;
  run.fault = planned.fault;
  run.parts_per_worker = planned.parts_per_worker;
  run.migrates = migrates(planned);
  for (const std::string& name : planned.reactions)
    if (std::ranges::find(reaction_names, name) != reaction_names.end())
      run.layer.reactions.push_back(reaction_named(name));
  run.coloring.work = planned.work;
  run.message_log = study.message_log;
  run.one_way_latency = study.one_way_latency;
  run.duration_ns = std::llround(study.duration_s * 1e9);
  run.window_ns = std::llround(std::min(study.window_s, study.duration_s * 2 / 3) * 1e9);
  run.interval_ns = std::llround(study.interval_s * 1e9);
  return run;
}

ReplayOptions replay_options_of(const ColorStudy& study, const ColoringRun& run) {
  ReplayOptions options = study.replay.for_run(run.partition.workers(), run.coloring.seed, run.duration_ns);
  if (run.fault.kind != WorkerFault::Kind::slow) return options;
  options.slowness.resize(options.workers, 1.0);
  options.slowness.at(static_cast<std::size_t>(run.fault.worker)) *=
      1 + static_cast<double>(run.fault.pause_ns) / static_cast<double>(options.period_ns);
  return options;
}

void check_runs(const ColorStudy& study, const ColorMeshes& meshes) {
  for (const PlannedRun& planned : runs_of(study)) {
    const ColoringRun run = make_run(study, planned, meshes.topology(planned), meshes.partition(planned));
    if (study.replay.enabled)
      check(run, replay_options_of(study, run));
    else
      check(run);
  }
  if (!study.replay.enabled && !study.run_elsewhere) check_links(study, meshes);
  check_rows(study, meshes);
  check_messages(study, meshes);
}

}  // namespace laxity::cli
