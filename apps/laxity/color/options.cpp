// laxity color: graph coloring on threads, processes and MPI ranks, as one run or as a study of modes and teams.
//
// Elsewhere: the study (color/study.hpp), its runs (color/run.hpp), what it prints (color/print.hpp).
#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/color/run.hpp"
#include "apps/laxity/launch/team_options.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/program_on_ranks.hpp"
#include "laxity/cli/rank_options.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity::cli {
namespace {

constexpr const char* color_examples = R"(Examples:
  laxity color --threads 2                        two threads, best effort, one second
  laxity color --processes 2 --mode 0             two processes, a barrier after every update
  laxity color --workers 1t,2t,2p --mode 0,3,4 --replicates 5 --report
                                                  a study: every team in every mode, five replicates
  laxity color --topology web.mtx --partition metis --threads 2
                                                  color a graph from a file
  mpirun -n 4 laxity color --threads 2            eight workers: four ranks of two threads, on one or more hosts
  laxity color --nodes 1 --send-depth 64 --threads 2
                                                  one node per worker: communication dominates
  laxity color --threads 4 --parts-per-worker 4 --react migrate
                                                  a slow worker gives nodes to its neighbors
  laxity color --replay --threads 16 --loss 0.2 --slow 3:10 --seed 7
                                                  16 virtual workers, a fifth of the frames lost, worker 3 ten times
                                                  as slow; prints the same digest each time

Modes, by number or name: 0 every-update (barrier), 1 rolling (barrier every 10 ms), 2 fixed (barrier at every full second),
  3 best-effort, 4 isolated (no communication between workers).
With --replay the workers of --threads are virtual: all run in one thread, and the same options and seed give the same
  run, bit by bit. All times are virtual, including --duration and the tables.
To resume an interrupted study, repeat the command with its --output.
)";

// Options as they were typed.
struct ColorWords {
  TeamWords team;
  std::vector<std::string> slow;
  int frozen_worker = 0;
  double frozen_s = 0;
  std::string overflow = "drop_newest", packing = "state", view = "node";
};

void add_problem_options(Command& command, const std::shared_ptr<ColorStudy>& study,
                         const std::shared_ptr<ColorWords>& words) {
  const auto group = "Problem";
  command.add_option("--nodes", study->nodes_per_worker, "Nodes per worker, on a torus")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--topology", study->topology,
                  "torus, or a graph file: NetworkX adjacency list (.adjlist), edge list "
                  "(.edgelist), METIS (.graph), Matrix Market (.mtx)")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--format", study->graph_format,
                  "Format of the graph file; by default from its extension: "
                  "adjacency_list, edge_list, metis, matrix_market")
      ->group(group)
      ->suggest({"adjacency_list", "edge_list", "metis", "matrix_market"});
  command
      .add_option("--partition", study->partition,
                  "blocks (torus), contiguous, round-robin, random, metis, or a file "
                  "with one worker number per line (or part number, with --parts-per-worker)")
      ->group(group)
      ->suggest({"blocks", "contiguous", "round-robin", "random", "metis"})
      ->capture_default_str();
  command
      .add_option(
          "--parts-per-worker", study->parts_per_worker,
          "Parts into which the nodes of a worker are divided, so that some can migrate to another worker of the "
          "host (--react migrate); packing state only")
      ->group(group)
      ->capture_default_str();
  command.add_option("--colors", study->coloring.colors, "Colors")->group(group)->capture_default_str();
  command.add_option("--learning-rate", study->coloring.learning_rate, "b of the learning rule, in (0, 1)")
      ->group(group)
      ->capture_default_str();
  command.add_option("--work", study->coloring.work, "Synthetic work per update, draws of std::mt19937")
      ->group(group)
      ->capture_default_str();
  command
      .add_duration("--jitter", study->coloring.jitter_ns,
                    "Mean of the exponentially distributed additional duration of each update", {.max_s = 1})
      ->group(group)
      ->capture_default_str();
  command.add_option("--seed", study->coloring.seed, "Seed of the first replicate; the others use the following seeds")
      ->group(group)
      ->capture_default_str();
  command.add_option("--view", words->view, "Update loop: node, or block (vectorized)")
      ->group(group)
      ->capture_default_str()
      ->one_of({"node", "block"});
}

void add_communication_options(Command& command, const std::shared_ptr<ColorStudy>& study,
                               const std::shared_ptr<ColorWords>& words) {
  const auto group = "Communication";
  command
      .add_option("--packing", words->packing,
                  "state (a slot per node in one frame), pooled (a slot per edge), aggregated "
                  "(records in a frame), plain (a frame per edge)")
      ->group(group)
      ->suggest({"state", "pooled", "aggregated", "plain"})
      ->capture_default_str();
  command
      .add_option("--max-links", study->max_links,
                  "Links between workers that memory is reserved for; plain packing has one for each edge that is cut")
      ->group(group)
      ->capture_default_str()
      ->at_least(1);
  command.add_option("--send-depth,--depth", study->layer.send_depth, "Frames in flight to a neighbor, at most")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--receive-depth", study->layer.receive_depth,
                  "Frames waiting at the receiver, at most; within a host the "
                  "buffer holds the sum of both depths")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--overflow", words->overflow, "What to do when the buffer is full: drop_newest, drop_oldest, latest")
      ->group(group)
      ->suggest({"drop_newest", "drop_oldest", "latest"})
      ->capture_default_str();
  command.add_option("--every", study->layer.every, "Communicate every n updates")->group(group)->capture_default_str();
  command.add_flag("--send-on-change", study->layer.send_on_change, "Do not send frames in which nothing has changed")
      ->group(group);
  command
      .add_option(
          "--react", study->reactions,
          "Reactions to neighbors that cannot keep up, separated by commas: cadence (send less often), depth "
          "(adapt the queue depth), latest (a full queue keeps the newest frames); or of a slow worker: migrate "
          "(give parts of its nodes to neighbors; requires --parts-per-worker)")
      ->delimiter(',')
      ->group(group)
      ->one_of(all_reactions());
  command.add_flag("--mutex", study->mutex, "Rings with a mutex instead of lock-free rings, for comparison")
      ->group(group);
}

void add_replay_options(Command& command, const std::shared_ptr<ColorStudy>& study,
                        const std::shared_ptr<ColorWords>& words) {
  const auto group = "Replay";
  ColorReplay& replay = study->replay;
  Faults& faults = replay.options.faults;
  auto* flag =
      command.add_flag("--replay", replay.enabled,
                       "Run virtual workers in one thread and in virtual time, reproducible from --seed; their "
                       "number is that of --threads or --workers (modes 3 and 4 only)");
  flag->group(group);
  for (const char* real : {"--processes", "--work", "--jitter", "--mutex", "--pin", "--grace",
                           "--parts-per-worker"})  // options of real workers only
    flag->excludes(command.get_option(real));
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group)->needs(flag);
  };
  const auto add_duration = [&](const char* name, auto& value, const char* what, const DurationRange& range) {
    return command.add_duration(name, value, what, range)->group(group)->needs(flag);
  };
  constexpr DurationRange of_a_frame{.max_s = 100};
  add_duration("--period", replay.options.period_ns, "Mean duration of an update", {.min_s = 1e-9, .max_s = 100})
      ->capture_default_str();
  add("--period-spread", replay.options.jitter,
      "Largest deviation of the duration of an update, as a fraction of the period, in [0, 1)")
      ->capture_default_str();
  add("--slow", words->slow,
      "Slow workers, separated by commas: 2:8 makes the updates of worker 2 take 8 times as long")
      ->delimiter(',');
  add("--loss", faults.loss, "Probability that a frame between workers is lost, in [0, 1]")->capture_default_str();
  add_duration("--delay", faults.delay_ns, "Minimum delay of a frame", of_a_frame)->capture_default_str();
  add_duration("--delay-spread", faults.delay_spread_ns, "Largest additional delay of a frame", of_a_frame)
      ->capture_default_str();
  add("--overtaking", faults.overtaking,
      "Frames of a link in flight at once, each with its own delay; 1 keeps their order, more allows reordering")
      ->capture_default_str();
  add("--stall", faults.stall, "Probability that a link stalls at a frame, in [0, 1]")->capture_default_str();
  add_duration("--stall-time", faults.stall_ns, "Duration of a stall, which delays that frame and the following ones",
               of_a_frame)
      ->capture_default_str();
  add_duration("--freeze", replay.frozen_s, "FROM UNTIL: no frame arrives between these two times", {});
}

void add_output_options(Command& command, const std::shared_ptr<ColorStudy>& study,
                        const std::shared_ptr<ColorWords>& words) {
  const auto group = "Output";
  command
      .add_duration("--window", study->window_s,
                    "Duration of a quality-of-service snapshot, at most two thirds of the run; 0: no snapshots")
      ->group(group)
      ->capture_default_str();
  command
      .add_option(
          "--message-log", study->message_log,
          "Log the last N frames of each link between workers in messages.csv, with the times at which they were "
          "sent and seen; the report draws them")
      ->group(group);
  command
      .add_flag(
          "--one-way-latency", study->one_way_latency,
          "Measure how long messages between workers travel, by the clock of the first rank: one of 17 carries its "
          "time")
      ->group(group);
  command
      .add_duration("--interval", study->interval_s,
                    "Time between the beginnings of snapshots; by default one begins where the previous ends")
      ->group(group);
  command
      .add_flag("--per-channel", study->per_channel,
                "One row per channel in qos.csv instead of one per link; for packing plain (with other packings the "
                "channels of a link share its frames); at most a million rows per study")
      ->group(group);
  command.add_option("--output", study->output, "Run directory; default runs/color-<time>")->group(group);
  command
      .add_flag("--own-tori", study->own_tori,
                "Also isolated workers with a torus each, without edges to others: the rate without communication")
      ->group(group);
  command
      .add_flag("--until-quiet", study->until_quiet,
                "Repeat a run while other programs or machines take processor time, four times at most")
      ->group(group);
  command.add_flag("--report", study->report, "Write report.html at the end")->group(group);
  // Internal options of the studies that start this command under a launcher.
  command.add_option("--result", study->result_file)->group("");
  command.add_option("--frozen-worker", words->frozen_worker)->group("");
  command.add_duration("--frozen", words->frozen_s, "")->group("");
  command.add_flag("--quiet", study->quiet, "No progress line and no table")->group(group);
}

void finish(ColorStudy& study, const ColorWords& words) {
  study.packing = packing_named(words.packing);
  study.view = words.view == "block" ? ColoringView::block : ColoringView::node;
  const auto overflow = overflow_named(words.overflow);
  if (!overflow) throw UsageError("--overflow " + words.overflow + ": must be drop_newest, drop_oldest or latest");
  study.layer.overflow = *overflow;
  if (words.frozen_s > 0)
    study.fault = {WorkerFault::Kind::freeze, words.frozen_worker, std::llround(words.frozen_s * 1e9)};
  for (const std::string& text : words.slow) study.replay.slow.push_back(slow_worker_named(text));
}

}  // namespace

void add_color(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("color", "Color a graph with workers that do not wait for each other");
  command->footer(color_examples);
  auto study = std::make_shared<ColorStudy>();
  study->argc = argc;
  study->argv = argv;
  auto words = std::make_shared<ColorWords>();
  add_team_options(*command, *study, words->team);
  add_problem_options(*command, study, words);
  add_communication_options(*command, study, words);
  add_replay_options(*command, study, words);
  add_rank_options(*command, study->of_ranks);
  add_output_options(*command, study, words);
  command->callback([study, words] {
    finish(*study, *words);
    const auto run = [&](Ranks* ranks) {
      choose_teams(*study, words->team, ranks);
      return run_color_study(*study);
    };
    if (!study->replay.enabled)
      run_on_ranks(study->of_ranks.options(words->team.threads), run);
    else if (const int code = run(nullptr); code != 0)
      throw Exit{code};
  });
}

}  // namespace laxity::cli
