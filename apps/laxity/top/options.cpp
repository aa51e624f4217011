// laxity top: a live view of the workers of running jobs; with --once a single reading, as text or JSON; with
// --openmetrics a server for monitoring systems; as MPI ranks a view of all hosts.
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/top/run.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/program_on_ranks.hpp"

namespace laxity::cli {

void add_top(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("top", "Live view of the workers of running jobs");
  auto options = std::make_shared<TopOptions>();
  command->add_option("pid", options->pids, "Only the jobs of these processes")->type_name("PID");
  command->add_duration("--interval", options->interval_s, "Time between readings", {.min_s = 0.05, .max_s = 3600})
      ->capture_default_str();
  auto* once = command->add_flag("--once", options->once, "Print the figures of one interval and end");
  command->add_flag("--json", options->json, "Print JSON, for scripts")->needs(once);
  command
      ->add_option(
          "--openmetrics", options->open_metrics,
          "Serve the figures at http://ADDRESS:PORT/metrics for monitoring systems, until interrupted; by default "
          "on the loopback interface")
      ->type_name("[ADDRESS:]PORT")
      ->excludes(once);
  command->footer(R"(Examples:
  laxity top
  laxity top --once --json --interval 200ms
  laxity top --openmetrics 9555                  for Prometheus: curl http://127.0.0.1:9555/metrics
  mpirun -N 1 --host host1,host2 laxity top      the jobs of both hosts, with the names of the hosts

Keys: q quit, ? help, up and down (k, j), page up and page down (b, space), home and end (g, G) select, enter the channels of a
  worker, escape back, s sort, f only workers with problems, tab the next job, p pause. NO_COLOR=1 shows no colors.
Shows the jobs of this user on this host or, started as MPI ranks (one rank per host suffices), on all hosts of the ranks. A
job over several hosts is listed once per host, under one name. Jobs are only read, and neither wait nor slow down. Output
goes to the terminal of the launcher if that is in the foreground; otherwise lines are printed every interval.
)");
  command->callback([options] { run_on_ranks({}, [&](Ranks* ranks) { return run_top(*options, ranks); }); });
}

}  // namespace laxity::cli
