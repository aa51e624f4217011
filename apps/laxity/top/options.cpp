// laxity top: a live view of the workers of running jobs; with --once a single reading, as text or JSON; with --openmetrics a
// server for monitoring systems; as MPI ranks a view of all hosts.
//
// It only reads the counters of other processes, so it can neither slow down nor block a job.
// Elsewhere: the figures (top/figures.hpp), the hosts (top/hosts.hpp), the screen (top/screen.hpp), the terminal
// (top/terminal.hpp), the server (top/open_metrics.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/program_on_ranks.hpp"
#include "apps/laxity/top/hosts.hpp"
#include "apps/laxity/top/open_metrics.hpp"
#include "apps/laxity/top/screen.hpp"
#include "apps/laxity/top/terminal.hpp"
#include "apps/laxity/top/text_table.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Options {
  double interval_s = 1;
  bool once = false;
  bool json = false;
  std::string open_metrics;  // endpoint
  std::vector<int> pids;

  [[nodiscard]] Clock::duration interval() const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_s));
  }
  /// The first figures need a second reading, which follows soon after the first.
  [[nodiscard]] Clock::duration first() const {
    return once ? interval() : std::min<Clock::duration>(interval(), 200ms);
  }
};

void watch(const Options& options, Hosts& hosts, const TopTerminal& terminal) {
  constexpr std::int64_t max_ms = 100;  // between polls for the reports of other hosts
  constexpr std::size_t lines_without_rows = 8;
  const bool has_colors = std::getenv("NO_COLOR") == nullptr;
  TopView view;
  hosts.read();
  auto next = Clock::now() + options.first();
  std::vector<JobFigures> jobs = hosts.jobs();
  while (!interrupted()) {
    const auto [width, height] = terminal.size();
    view.page = std::max(height, lines_without_rows + 1) - lines_without_rows;
    std::vector<std::string> lines = draw(jobs, view, width, height);
    if (!has_colors)
      for (std::string& line : lines) line = without_colors(line);
    terminal.show(lines);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count() + 1;
    const std::optional<std::string> keys = terminal.keys(std::clamp<std::int64_t>(left, 0, max_ms));
    if (!keys) return;
    for (const char key : *keys)
      if (!apply_key(key, view, jobs)) return;
    hosts.receive();
    if (Clock::now() < next) continue;
    next = Clock::now() + options.interval();
    if (view.paused) continue;
    hosts.read();
    jobs = hosts.jobs();
  }
}

/// Prints the screen as plain lines, for output that is no terminal.
void print(const std::vector<JobFigures>& jobs) {
  constexpr std::size_t any_size = 4096;
  for (std::size_t job = 0; job < std::max<std::size_t>(1, jobs.size()); ++job) {
    const bool named = !jobs.empty() && jobs[job].hosts > 1;
    if (named) fmt::print("on {}\n", jobs[job].host);
    std::vector<std::string> lines =
        draw(jobs.empty() ? jobs : std::vector{jobs[job]}, {.selects = false}, any_size, any_size);
    lines.pop_back();  // the line with the keys
    for (const std::string& line : lines)
      if (!line.empty()) fmt::print("{}\n", unstyled(line));
  }
  std::fflush(stdout);
}

// Sleeps until `time` or until a signal, and receives reports meanwhile.
void sleep_until(Clock::time_point time, Hosts& hosts) {
  for (; Clock::now() < time && !interrupted(); hosts.receive())
    std::this_thread::sleep_for(std::min<Clock::duration>(time - Clock::now(), 20ms));
}

void print_once(const Options& options, Hosts& hosts) {
  constexpr auto patience = 10s;  // for the reports of other hosts, beyond the interval
  hosts.read();
  sleep_until(Clock::now() + options.interval(), hosts);
  hosts.read();
  for (const auto give_up = Clock::now() + patience;
       !hosts.all_have_reported() && Clock::now() < give_up && !interrupted();)
    sleep_until(Clock::now() + 5ms, hosts);
  if (interrupted()) return;
  if (options.json)
    fmt::print("{}\n", to_json(hosts.hosts(), hosts.jobs()));
  else
    print(hosts.jobs());
  std::fflush(stdout);
}

void print_repeatedly(const Options& options, Hosts& hosts) {
  hosts.read();
  for (auto next = Clock::now() + options.first(); !interrupted(); next = Clock::now() + options.interval()) {
    sleep_until(next, hosts);
    hosts.read();
    print(hosts.jobs());
    fmt::print("\n");
  }
}

// A monitoring system scrapes when it likes; between readings it gets the last figures.
void serve(const Options& options, Hosts& hosts) {
  note_interruptions();
  const MetricsServer server(options.open_metrics);
  fmt::print("serving http://{}/metrics\n", server.address());
  std::fflush(stdout);
  hosts.read();
  sleep_until(Clock::now() + options.first(), hosts);
  while (!interrupted()) {
    hosts.receive();
    hosts.read();
    hosts.forget_ended();
    const std::string metrics = to_open_metrics(hosts.hosts(), hosts.jobs());
    for (const auto next = Clock::now() + options.interval(); Clock::now() < next && !interrupted(); hosts.receive())
      server.serve(std::min(100ms, std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now())),
                   metrics);
  }
}

// A process number that is no job of this host is an error, unless other hosts are looked at, too.
void check_pids(const std::vector<int>& pids) {
  const std::vector<Job> jobs = Job::find_all();
  for (const int pid : pids) {
    const bool is_job = std::ranges::any_of(jobs, [&](const Job& job) { return job.notice().pid == pid; });
    if (!is_job)
      throw Error(fmt::format("process {} is not a running job of this user; laxity top --once lists the jobs", pid));
  }
}

int run(const Options& options, Ranks* ranks) {
  if (ranks != nullptr) note_interruptions();  // the first rank ends all ranks in order
  if (ranks != nullptr && !ranks->is_first()) {
    report_jobs(*ranks, options.pids, options.first(), options.interval());
    return 0;
  }
  if (ranks == nullptr) check_pids(options.pids);
  const bool serves = !options.open_metrics.empty();
  std::optional<int> terminal;
  if (!options.once && !serves) terminal = TopTerminal::find(ranks != nullptr);
  if (!options.once && !serves && !terminal && ranks == nullptr)
    throw UsageError("top needs a terminal; in scripts use --once, or --once --json, or --openmetrics");
  Hosts hosts(ranks, options.pids, options.interval());
  if (options.once)
    print_once(options, hosts);
  else if (serves)
    serve(options, hosts);
  else if (terminal)
    watch(options, hosts, TopTerminal(*terminal));
  else
    print_repeatedly(options, hosts);
  hosts.end();
  return 0;
}

}  // namespace

void add_top(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("top", "Live view of the workers of running jobs");
  auto options = std::make_shared<Options>();
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
  command->callback([options] { run_on_ranks({}, [&](Ranks* ranks) { return run(*options, ranks); }); });
}

}  // namespace laxity::cli
