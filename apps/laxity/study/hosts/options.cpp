// laxity study hosts: two ranks on the same host, compared with two ranks on different hosts.
// laxity study faulty-host: the ranks of one host while the ranks of another host are stopped, compared with normal
// runs.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance ...", III-D and III-G.
// Elsewhere: the studies (run.hpp), the statistics (python/src/laxity/studies/best_effort).
#include <memory>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/study/hosts/run.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {
namespace {

constexpr const char* hosts_footer = R"(Examples:
  laxity study hosts --report
  laxity study hosts --same "srun -N 1 -n 2" --different "srun -N 2 -n 2"

Without --different, scripts/two_hosts emulates two hosts on this machine: network namespaces with half of the cores each
and a network of 1 Gbit/s between them. That requires root.
To resume an interrupted study, repeat the command with its --output.
)";

constexpr const char* faulty_host_footer = R"(Examples:
  laxity study faulty-host --report
  laxity study faulty-host --ranks 2 --launcher "srun -N 2 --ntasks-per-node 2 --distribution block"

In every other run all processes of the second host are stopped for some time; the ranks of the first host are compared.
Without --launcher, scripts/two_hosts emulates the hosts on this machine, with half of the cores each and a network that
loses packets. That requires root.
To resume an interrupted study, repeat the command with its --output.
)";

void add_common_options(Command& command, const std::shared_ptr<HostsOptions>& options) {
  const auto size = "Size";
  command.add_option("--nodes", options->nodes, "Mesh nodes per worker, separated by commas")
      ->delimiter(',')
      ->group(size)
      ->capture_default_str();
  command.add_option("--replicates", options->replicates, "Runs of each treatment")
      ->group(size)
      ->capture_default_str()
      ->at_least(1);
  command.add_duration("--window", options->window_s, "Duration of a snapshot", positive_duration)
      ->group(size)
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Seed of the first replicate; the others use the following seeds")
      ->capture_default_str();
  command.add_option("--output", options->output, "Run directory; default runs/<study>-<time>");
  command.add_flag("--report", options->report, "Write report.html at the end");
  command.add_flag("--quiet", options->quiet, "No progress line and no table");
}

}  // namespace

void add_hosts_study(Command& app, int argc, const char* const* argv) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "hosts", "Two ranks on the same host, compared with two ranks on different hosts");
  command->footer(hosts_footer);
  auto options = std::make_shared<HostsOptions>();
  options->argc = argc;
  options->argv = argv;
  options->same = std::string(LAXITY_MPI_LAUNCHER) + " -n 2";
  const auto launch = "Launchers";
  command->add_option("--same", options->same, "Launcher of two ranks on one host")
      ->group(launch)
      ->capture_default_str();
  command->add_option("--different", options->different, "Launcher of two ranks on two hosts; default: emulated hosts")
      ->group(launch);
  add_common_options(*command, options);
  auto* paper =
      command->add_flag("--paper", options->paper, "Duration of a run as in the paper: 5 minutes")->group("Size");
  command->get_option("--window")->excludes(paper);
  command->add_duration("--duration", options->duration_s, "Duration of a run", positive_duration)
      ->group("Size")
      ->capture_default_str()
      ->excludes(paper);
  command->callback([options] {
    if (const int code = run_hosts_study(*options); code != 0) throw Exit{code};
  });
}

void add_faulty_host_study(Command& app, int argc, const char* const* argv) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "faulty-host", "What the ranks of one host do while the ranks of another one are stopped");
  command->footer(faulty_host_footer);
  auto options = std::make_shared<HostsOptions>();
  options->argc = argc;
  options->argv = argv;
  options->nodes = {64};
  options->window_s = 0.25;
  options->duration_s = 3;  // so that the host is frozen during most snapshots
  const auto launch = "Launcher";
  auto* launcher =
      command
          ->add_option("--launcher", options->different,
                       "Launcher of --ranks ranks on each of two hosts, the ranks of the first host first; "
                       "default: emulated hosts")
          ->group(launch);
  command
      ->add_option("--ranks", options->ranks,
                   "Ranks per host; with 1 the workers that are compared have no links to each other")
      ->group(launch)
      ->capture_default_str()
      ->at_least(1);
  command->add_option("--loss", options->loss, "Packet loss between emulated hosts, 0 to 1")
      ->group(launch)
      ->capture_default_str()
      ->excludes(launcher)
      ->in_range(0.0, 1.0);
  add_common_options(*command, options);
  command->add_duration("--frozen", options->frozen_s, "Time for which the host is stopped", positive_duration)
      ->group("Size")
      ->capture_default_str();
  command->add_duration("--duration", options->duration_s, "Duration of a run", positive_duration)
      ->group("Size")
      ->capture_default_str();
  command->callback([options] {
    if (const int code = run_faulty_host_study(*options); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
