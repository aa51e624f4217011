// laxity schedule: the message schedules of collective algorithms and of GOAL files, simulated and drawn.
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/schedule/run.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/schedule/machine_file.hpp"

namespace laxity::cli {
namespace {

constexpr const char* schedule_examples = R"(Examples:
  laxity schedule list                                   the algorithms of every collective
  laxity schedule show reduce binomial --ranks 8         each operation, with its start and end
  laxity schedule show reduce in-order_binary --ranks 16 --pattern last_delayed --skew 20us --svg reduce.svg
                                                         why this algorithm absorbs a late last rank, as a picture
  laxity schedule show alltoall pairwise --ranks 1024    a summary; the simulation takes less than a second
  laxity schedule show allreduce ring --ranks 8 --goal ring.goal --goal-binary ring.bin
                                                         the schedule for LogGOPSim or ATLAHS
  laxity schedule run program.goal --machine cluster.toml
                                                         a schedule from a file, text or binary

A machine is a TOML file of network levels with the parameters of LogGPS (latency, overhead, gap, gap per byte, eager limit);
`paper` comes with laxity (32 ranks on each host, 10 Gbit/s, 1 us within and 2 us between hosts), like typical clusters on
`ethernet`, `omnipath` and `infiniband`; laxity/schedule/machines/ has their files.

Not among the algorithms: segmented_ring of allreduce (ring, without a segment size), linear_sync of alltoall (linear, without a limit
on requests), split_binary_tree and scatter_allgather of bcast, butterfly of reduce_scatter, two_proc of alltoall and barrier.
)";

void add_run_options(Command& command, ScheduleRunOptions& options) {
  command.add_option("--machine", options.machine, "A TOML file, or a machine that comes with laxity")
      ->capture_default_str()
      ->suggest(schedule::shipped_machine_names());
  std::vector<std::string> pattern_names;
  for (const collective::Pattern pattern : collective::delaying_patterns) pattern_names.emplace_back(name_of(pattern));
  command.add_option("--pattern", options.pattern, "Arrival pattern; see laxity pattern")
      ->capture_default_str()
      ->suggest(pattern_names);
  command.add_duration("--skew", options.skew_s, "Largest delay of the pattern: 10us");
  command.add_option("--seed", options.seed, "Of the pattern random")->capture_default_str();
  command.add_option("--svg", options.svg, "File for the space-time diagram, up to 128 ranks")->type_name("FILE");
}

void add_schedule_show(Command& schedule) {
  auto options = std::make_shared<ScheduleShowOptions>();
  Command* command = schedule.add_subcommand("show", "Simulate one collective algorithm and print its operations");
  command->add_option("collective", options->collective, "As in reduce, alltoall")->required();
  command->add_option("algorithm", options->algorithm, "See laxity schedule list")->required();
  command->add_option("--ranks", options->ranks, "Number of ranks")->in_range(1, 1 << 24)->capture_default_str();
  command
      ->add_option("--bytes", options->bytes,
                   "Size: the vector of bcast, reduce and allreduce; otherwise the block of one rank")
      ->size_with_unit()
      ->capture_default_str();
  command->add_option("--root", options->root, "Root of bcast, gather, reduce, scatter")->capture_default_str();
  command->add_option("--segment", options->segment_bytes, "Segment size of trees, which pipeline; 0: one segment")
      ->size_with_unit()
      ->capture_default_str();
  command->add_option("--goal", options->goal, "File for the schedule in GOAL; - prints it")->type_name("FILE");
  command->add_option("--goal-binary", options->goal_binary, "File for the schedule in GOAL's binary form")
      ->type_name("FILE");
  add_run_options(*command, options->run);
  command->callback([options] { show_schedule(*options); });
}

}  // namespace

void add_schedule(Command& app, int, const char* const*) {
  Command* command = app.add_subcommand("schedule", "Simulate and draw the message schedules of collective algorithms");
  command->footer(schedule_examples)->require_subcommand(1);
  auto collective = std::make_shared<std::string>();
  Command* list = command->add_subcommand("list", "Print the algorithms of a collective, or of all");
  list->add_option("collective", *collective, "As in reduce; all if it is left out");
  list->callback([collective] { list_schedules(*collective); });
  add_schedule_show(*command);
  auto file = std::make_shared<std::string>();
  auto options = std::make_shared<ScheduleRunOptions>();
  Command* run = command->add_subcommand("run", "Simulate a schedule from a GOAL file, text or binary");
  run->add_option("file", *file, "The file")->required()->type_name("FILE");
  add_run_options(*run, *options);
  run->callback([file, options] { run_schedule_file(*file, *options); });
}

}  // namespace laxity::cli
