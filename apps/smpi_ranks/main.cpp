// Graph coloring on MPI ranks under SimGrid (SMPI), started by `laxity scale`.
//
// Every rank colors its part with the ordinary workload, mesh and links over MPI; only time is simulated. Computing takes
// no simulated time: between computing and sending, an update sleeps for a duration drawn from measured ones. All ranks
// are threads of one process, and one of them runs at a time, so they share one graph.
// Two parts are not those of real ranks, because a team shares memory, and each simulated rank is a host of its own:
// barriers are messages of the simulated network (mpi_pacing.hpp), and each rank observes itself when its own time has come
// (snapshots.hpp). Modes, links, counters and the formulas of snapshots are the same code.
// Usage: smpi_ranks SETTINGS.json; the settings are written, and the results read, by apps/laxity/scale/smpi_run.cpp.
#include <mpi.h>
#include <simgrid/actor.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/smpi_ranks/mpi_pacing.hpp"
#include "apps/smpi_ranks/rank_connector.hpp"
#include "apps/smpi_ranks/result_file.hpp"
#include "apps/smpi_ranks/snapshots.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/message_timing.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mpi_call.hpp"
#include "laxity/random.hpp"
#include "laxity/transport/mpi.hpp"
#include "workloads/coloring/coloring.hpp"
#include "workloads/coloring/conflicts.hpp"

namespace {

using namespace laxity;
using nlohmann::json;

struct Settings {
  std::vector<std::uint32_t> extents;  // of the torus
  std::int64_t duration_ns;
  std::int64_t window_ns;  // of a snapshot
  std::uint64_t seed;
  std::size_t depth;
  PacingOptions pacing;
  std::vector<double> update_ns;  // measured durations of an update, drawn with equal probability
  double jitter_ns;               // mean of the exponentially distributed additional duration of each update
  int slow_rank;                  // its updates take pause_ns longer; -1: none
  double pause_ns;
  std::string output;
};

Settings settings_in(const char* path) {
  std::ifstream file(path);
  if (!file) throw Error(std::string(path) + " cannot be read");
  const json in = json::parse(file);
  return {.extents = in.at("extents"),
          .duration_ns = in.at("duration_ns"),
          .window_ns = in.at("window_ns"),
          .seed = in.at("seed"),
          .depth = in.at("depth"),
          .pacing = {.mode = mode_of(in.at("mode").get<std::string>()),
                     .rolling_ns = in.at("rolling_ns"),
                     .fixed_ns = in.at("fixed_ns")},
          .update_ns = in.at("update_ns"),
          .jitter_ns = in.at("jitter_ns"),
          .slow_rank = in.at("slow_rank"),
          .pause_ns = in.at("pause_ns"),
          .output = in.at("output")};
}

// Shared by all ranks, which are threads of one process. Each rank writes only its own entries.
struct World {
  World(Settings read, std::uint32_t ranks)
      : settings(std::move(read)),
        topology(topologies::torus(settings.extents)),
        partition(partitions::blocks(topology, ranks)),
        mesh(topology, partition, {LayerOptions{.send_depth = settings.depth}}),
        observations(ranks) {
    result.workers.resize(ranks);
    result.before.resize(topology.nodes());
    result.after.resize(topology.nodes());
  }

  Settings settings;
  Topology topology;
  Partition partition;
  Mesh<StateLayer<NodeColor>> mesh;
  std::vector<std::vector<RankObservation>> observations;  // of each rank
  ColoringResult result;
};

/// Collective: gives every rank the world that rank 0 made.
World& shared_world(const std::unique_ptr<World>& made) {
  auto address = reinterpret_cast<std::uint64_t>(made.get());
  mpi::check("MPI_Bcast", MPI_Bcast(&address, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  return *reinterpret_cast<World*>(address);
}

class UpdateDuration {
 public:
  UpdateDuration(const Settings& settings, int rank)
      : settings_(settings),
        pause_ns_(rank == settings.slow_rank ? settings.pause_ns : 0),
        random_(SeededRandom(settings.seed ^ 0x71e5).bits() + static_cast<std::uint64_t>(rank)) {}

  void sleep() {
    const auto measured = settings_.update_ns[random_.below(static_cast<std::uint32_t>(settings_.update_ns.size()))];
    const double jitter = -settings_.jitter_ns * std::log1p(-random_.unit());
    sg_actor_sleep_for((measured + jitter + pause_ns_) * 1e-9);
  }

 private:
  const Settings& settings_;
  double pause_ns_;
  SeededRandom random_;
};

void write_colors(Coloring<StateLayer<NodeColor>>& coloring, std::vector<NodeColor>& of_node) {
  const LocalNodes& local_nodes = coloring.part().local_nodes();
  for (std::uint32_t i = 0; i < coloring.colors().size(); ++i) of_node[local_nodes.id(i)] = coloring.colors()[i];
}

void color(World& world, int rank) {
  const Settings& settings = world.settings;
  MpiLinks links(MPI_COMM_WORLD);
  RankConnector connector(links, rank);
  UpdateDuration duration(settings, rank);
  TimingConnector timed(connector, simulated_ns);
  Coloring<StateLayer<NodeColor>> coloring(world.mesh, timed,
                                           {.seed = settings.seed, .while_updating = [&] { duration.sleep(); }});
  write_colors(coloring, world.result.before);
  coloring.part().communicate(communicates(settings.pacing.mode));
  links.connect();
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));

  const std::int64_t begin_ns = simulated_ns();
  MpiPacing pacing(MPI_COMM_WORLD, settings.pacing, begin_ns);
  ObservationTimes observation_times(begin_ns, settings.duration_ns, settings.window_ns);
  auto& observations = world.observations[static_cast<std::size_t>(rank)];
  std::uint64_t updates = 0;
  for (bool go_on = true; go_on;) {
    coloring.update();
    ++updates;
    const std::int64_t now_ns = simulated_ns();
    if (observation_times.is_due(now_ns)) observations.push_back({{now_ns, updates}, connector.observe_links()});
    go_on = pacing.after_update(now_ns, now_ns - begin_ns >= settings.duration_ns);
  }
  world.result.workers[static_cast<std::size_t>(rank)] = {.updates = updates, .elapsed_ns = simulated_ns() - begin_ns};
  write_colors(coloring, world.result.after);
}

void run(const char* settings_path) {
  const int rank = mpi::rank_in(MPI_COMM_WORLD), ranks = mpi::size_of(MPI_COMM_WORLD);
  const auto made =
      rank == 0 ? std::make_unique<World>(settings_in(settings_path), static_cast<std::uint32_t>(ranks)) : nullptr;
  World& world = shared_world(made);
  color(world, rank);
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 0) {
    world.result.conflicts = conflicting_edges(world.topology, world.result.after);
    world.result.snapshots = snapshots_of(world.observations);
    write_result(world.settings.output, world.result);
  }
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));  // rank 0 destroys the world
}

}  // namespace

int main(int argc, char** argv) {
  try {
    mpi::check("MPI_Init", MPI_Init(&argc, &argv));
    if (argc != 2) throw laxity::Error("usage: smpi_ranks SETTINGS.json");
    run(argv[1]);
    mpi::check("MPI_Finalize", MPI_Finalize());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "smpi_ranks: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}
