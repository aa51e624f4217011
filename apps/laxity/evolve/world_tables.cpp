#include "apps/laxity/evolve/world_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/metrics/link_snapshot.hpp"
#include "workloads/evolution/cpu/disassembly.hpp"

namespace laxity::cli {

using evolution::text_of_tag;

WorldTables::WorldTables(const std::filesystem::path& directory)
    : runs_(directory),
      workers_(directory),
      qos_(directory),
      population_(directory),
      resource_(directory),
      world_(directory),
      pictures_(directory),
      phylogeny_(directory),
      disturbances_(directory) {}

void WorldTables::add(const PlannedWorld& planned, const evolution::EvolutionRun& run,
                      const evolution::EvolutionResult& result, const std::vector<Disturbance>& disturbances,
                      bool pictured) {
  add_workers(planned, result);
  for (const LinkSnapshot& row : sum_channels(result.snapshots)) add_row(qos_, planned.run, row);
  add_populations(planned, result);
  add_accounts(planned, result);
  if (pictured) add_cells(planned, run, result);
  add_pictures(planned, run, result);
  if (result.team.all_finished()) add_births(planned, result);
  workers_.flush();
  qos_.flush();
  population_.flush();
  resource_.flush();
  world_.flush();
  pictures_.flush();
  phylogeny_.flush();
  add_rows(disturbances_, planned.run, disturbances);
  add_run(planned, run, result);
  runs_.flush();
}

void WorldTables::add_workers(const PlannedWorld& planned, const evolution::EvolutionResult& result) {
  for (const WorkerEnd& end : result.team.workers) {
    const evolution::EvolutionWorkerResult& worker = result.workers[static_cast<std::size_t>(end.place.id())];
    add_row(workers_, WorkerRow{planned.run, end.place.id(), end.place.process, end.place.thread, worker.updates,
                                worker.elapsed_ns, name_of(end.state)});
  }
}

void WorldTables::add_populations(const PlannedWorld& planned, const evolution::EvolutionResult& result) {
  for (std::size_t worker = 0; worker < result.histories.size(); ++worker) {
    for (const evolution::HistoryEntry& entry : result.histories[worker]) {
      const evolution::Census& census = entry.census;
      const evolution::Tallies& tallies = entry.tallies;
      population_.add(column<"run">(planned.run), column<"worker">(worker), column<"update">(entry.update),
                      column<"elapsed_ns">(entry.elapsed_ns), column<"living">(census.living),
                      column<"births">(tallies.births), column<"spawns">(tallies.spawns),
                      column<"refused_spawns">(tallies.refused_spawns), column<"repelled">(tallies.repelled),
                      column<"replaced">(tallies.replaced), column<"apoptosis">(tallies.apoptosis),
                      column<"fragmented">(tallies.fragmented), column<"instructions">(tallies.instructions),
                      column<"stockpile">(census.stockpile), column<"program_length">(census.program_length),
                      column<"group_size_0">(census.group_size[0]), column<"group_size_1">(census.group_size[1]),
                      column<"generations">(census.generations));
    }
  }
}

void WorldTables::add_accounts(const PlannedWorld& planned, const evolution::EvolutionResult& result) {
  for (std::size_t worker = 0; worker < result.workers.size(); ++worker) {
    const auto add = [&](std::string_view term, double amount) {
      resource_.add(column<"run">(planned.run), column<"worker">(worker), column<"term">(term),
                    column<"amount">(amount));
    };
    for (std::size_t term = 0; term < evolution::resource_term_names.size(); ++term) {
      add(evolution::resource_term_names[term],
          result.workers[worker].account[static_cast<evolution::ResourceTerm>(term)]);
    }
    add("stock", result.workers[worker].stock);
  }
}

void WorldTables::add_cells(const PlannedWorld& planned, const evolution::EvolutionRun& run,
                            const evolution::EvolutionResult& result) {
  const std::uint32_t width = run.topology.extents()[1];
  for (std::uint32_t cell = 0; cell < result.cells.size(); ++cell) {
    const evolution::CellAtEnd& end = result.cells[cell];
    if (end.alive == 0) continue;
    world_.add(column<"run">(planned.run), column<"cell">(cell), column<"x">(cell % width), column<"y">(cell / width),
               column<"lineage">(text_of_tag(end.lineage)), column<"kin_0">(text_of_tag(end.kin[0])),
               column<"kin_1">(text_of_tag(end.kin[1])), column<"stockpile">(end.stockpile), column<"age">(end.age),
               column<"program_length">(end.program_length), column<"generations">(end.generations),
               column<"individual">(end.individual), column<"strata">(text_of_tag(end.strata)));
  }
}

// A large world is drawn by some of its cells.
void WorldTables::add_pictures(const PlannedWorld& planned, const evolution::EvolutionRun& run,
                               const evolution::EvolutionResult& result) {
  constexpr std::uint32_t max_cells = 128;  // along a side
  const std::uint32_t height = run.topology.extents()[0], width = run.topology.extents()[1];
  const std::uint32_t distance = (std::max(height, width) + max_cells - 1) / max_cells;
  for (const evolution::Picture& picture : result.pictures) {
    for (std::uint32_t y = 0; y < height; y += distance) {
      for (std::uint32_t x = 0; x < width; x += distance) {
        const evolution::PicturedCell& cell = picture.cells[std::size_t{y} * width + x];
        if (cell.alive == 0) continue;
        pictures_.add(column<"run">(planned.run), column<"update">(picture.update), column<"x">(x), column<"y">(y),
                      column<"lineage">(fmt::format("{:08x}", cell.lineage)),
                      column<"kin_0">(fmt::format("{:08x}", cell.kin[0])),
                      column<"kin_1">(fmt::format("{:08x}", cell.kin[1])),
                      column<"stockpile">(std::round(1e4 * cell.stockpile) / 1e4), column<"age">(cell.age));
      }
    }
  }
}

void WorldTables::add_births(const PlannedWorld& planned, const evolution::EvolutionResult& result) {
  using evolution::BirthRecord;
  for (std::uint32_t worker = 0; worker < result.births.size(); ++worker) {
    const BirthRecord numbers(worker, static_cast<std::uint32_t>(result.births.size()));
    for (std::size_t i = 0; i < result.births[worker].size(); ++i) {
      const BirthRecord::Birth& birth = result.births[worker][i];
      phylogeny_.add(
          column<"run">(planned.run), column<"id">(numbers.number_of(i)),
          column<"ancestor_list">(birth.parent == 0 ? std::string("[NONE]") : fmt::format("[{}]", birth.parent)),
          column<"origin_time">(birth.update),
          column<"destruction_time">(birth.death == BirthRecord::living ? std::string("inf")
                                                                        : fmt::format("{}", birth.death)),
          column<"worker">(worker));
    }
  }
}

void WorldTables::add_run(const PlannedWorld& planned, const evolution::EvolutionRun& run,
                          const evolution::EvolutionResult& result) {
  double instructions_per_second = 0;
  std::uint64_t living = 0, births = 0, digest = 0;
  for (std::size_t worker = 0; worker < result.workers.size(); ++worker) {
    if (result.histories[worker].empty()) continue;
    const evolution::HistoryEntry& last = result.histories[worker].back();
    const double seconds = static_cast<double>(std::max<std::int64_t>(1, last.elapsed_ns)) * 1e-9;
    instructions_per_second += static_cast<double>(last.tallies.instructions) / seconds;
    living += last.census.living;
    births += last.tallies.births;
    digest = (digest << 1 | digest >> 63) ^ result.workers[worker].hash;
  }
  const std::uint32_t height = run.topology.extents()[0], width = run.topology.extents()[1];
  runs_.add(column<"run">(planned.run), column<"mode">(static_cast<int>(planned.mode)),
            column<"mode_name">(laxity::name_of(planned.mode)), column<"shape">(planned.shape.text()),
            column<"threads">(planned.shape.threads), column<"processes">(std::max(1, planned.shape.processes)),
            column<"workers">(planned.shape.workers()), column<"replicate">(planned.replicate),
            column<"seed">(run.seed), column<"cells_per_worker">(run.parameters.cells_per_worker),
            column<"width">(width), column<"height">(height),
            column<"duration_ns">(run.updates != 0 ? std::int64_t{0} : run.duration_ns),
            column<"updates_total">(result.updates()),
            column<"updates_per_second_per_worker">(result.updates_per_second_per_worker()),
            column<"instructions_per_second_per_worker">(instructions_per_second / planned.shape.workers()),
            column<"living">(living), column<"births">(births), column<"digest">(text_of_tag(digest)),
            column<"status">(result.team.all_finished() ? "done" : "lost a worker"));
}

}  // namespace laxity::cli
