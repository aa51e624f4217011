#include "apps/laxity/color/tables.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {

std::vector<ColorTally> tallies_in(const std::filesystem::path& directory,
                                   const std::vector<ColorTreatment>& treatments) {
  std::vector<ColorTally> tallies;
  for (const ColorTreatment& treatment : treatments) tallies.push_back({.treatment = treatment});
  const std::filesystem::path runs = directory / "runs.csv";
  const std::vector<double> numbers = read_column(runs, "run");
  const std::vector<double> rates = read_column(runs, "updates_per_second_per_worker");
  const std::vector<double> conflicts = read_column(runs, "conflicts"), moves = read_column(runs, "moves");
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    ColorTally& tally = tallies.at(static_cast<std::size_t>(numbers[row]) % tallies.size());
    tally.rates.push_back(rates[row]);
    tally.conflicts.push_back(conflicts[row]);
    tally.moves.push_back(moves[row]);
  }
  return tallies;
}

ColorTables::ColorTables(const std::filesystem::path& directory)
    : runs_(directory),
      workers_(directory),
      qos_(directory),
      picture_(directory),
      messages_(directory),
      disturbances_(directory) {}

void ColorTables::add(const PlannedRun& planned, const ColoringRun& run, const ColoringResult& result,
                      const ColorRecord& record) {
  add_workers(planned, result);
  for (const LinkSnapshot& row : record.per_channel ? result.snapshots : sum_channels(result.snapshots))
    add_row(qos_, planned.run, row);
  add_messages(planned, result);
  if (record.picture) add_picture(planned, run.topology, result);
  workers_.flush();
  qos_.flush();
  picture_.flush();
  messages_.flush();
  add_rows(disturbances_, planned.run, record.disturbances, record.attempts);
  add_run(planned, run, result, record);
  runs_.flush();
}

void ColorTables::add_workers(const PlannedRun& planned, const ColoringResult& result) {
  for (const WorkerEnd& end : result.team.workers) {
    const ColoringWorkerResult& worker = result.workers[static_cast<std::size_t>(end.place.id())];
    add_row(workers_, WorkerRow{planned.run, end.place.id(), end.place.process, end.place.thread, worker.updates,
                                worker.elapsed_ns, name_of(end.state), worker.clock_offset_ns, worker.clock_error_ns});
  }
}

void ColorTables::add_messages(const PlannedRun& planned, const ColoringResult& result) {
  for (const LoggedFrame& frame : result.messages)
    messages_.add(column<"run">(planned.run), column<"layer">(frame.key.layer),
                  column<"from_worker">(frame.key.from_worker), column<"to_worker">(frame.key.to_worker),
                  column<"channel">(frame.key.channel), column<"message">(frame.number),
                  column<"sent_ns">(frame.sent_ns), column<"seen_ns">(frame.seen_ns),
                  column<"refused_before">(frame.refused_before), column<"fate">(name_of(frame.fate)));
}

void ColorTables::add_picture(const PlannedRun& planned, const Topology& topology, const ColoringResult& result) {
  const std::uint32_t width = topology.extents()[1];
  for (const auto& [when, colors] : {std::pair{"before", &result.before}, std::pair{"after", &result.after}})
    for (std::uint32_t node = 0; node < topology.nodes(); ++node)
      picture_.add(column<"run">(planned.run), column<"when">(when), column<"node">(node), column<"x">(node % width),
                   column<"y">(node / width), column<"color">(unsigned{(*colors)[node]}));
}

void ColorTables::add_run(const PlannedRun& planned, const ColoringRun& run, const ColoringResult& result,
                          const ColorRecord& record) {
  const int workers = planned.shape.workers();
  runs_.add(column<"run">(planned.run), column<"mode">(static_cast<int>(planned.mode)),
            column<"mode_name">(laxity::name_of(planned.mode)), column<"shape">(planned.shape.text()),
            column<"threads">(planned.shape.threads), column<"processes">(std::max(1, planned.shape.processes)),
            column<"workers">(workers), column<"replicate">(planned.replicate), column<"seed">(run.coloring.seed),
            column<"nodes_per_worker">(run.topology.nodes() / static_cast<std::uint32_t>(workers)),
            column<"duration_ns">(run.duration_ns), column<"nodes">(run.topology.nodes()),
            column<"edges">(run.topology.edges()), column<"updates_total">(result.updates()),
            column<"updates_per_second_per_worker">(result.updates_per_second_per_worker()),
            column<"conflicts">(result.conflicts), column<"work">(planned.work), column<"guard">(guard_of(planned)),
            column<"fault">(laxity::name_of(planned.fault.kind)), column<"reaction">(reactions_of(planned)),
            column<"parts_per_worker">(planned.parts_per_worker), column<"moves">(result.moves),
            column<"hosts">(record.hosts), column<"mesh">(mesh_of(planned)), column<"status">(record.status));
}

}  // namespace laxity::cli
