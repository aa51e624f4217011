// laxity top: what the workers of running jobs do, live; once and as JSON for scripts; of all hosts under a launcher.
//
// It reads the counters of other processes and writes to none of them, so it costs a job nothing and cannot hold it up.
// Elsewhere: the figures (top/figures.hpp), where they come from (top/hosts.hpp), what is drawn (top/screen.hpp) and on
// what (top/terminal.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/program_on_ranks.hpp"
#include "apps/laxity/top/hosts.hpp"
#include "apps/laxity/top/screen.hpp"
#include "apps/laxity/top/terminal.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Options {
  double interval_s = 1;
  bool once = false;
  bool json = false;
  std::vector<int> pids;

  [[nodiscard]] Clock::duration interval() const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_s));
  }
  /// The second reading comes soon, so that there is something to see.
  [[nodiscard]] Clock::duration first() const {
    return once ? interval() : std::min<Clock::duration>(interval(), 200ms);
  }
};

void watch(const Options& options, Hosts& hosts, const TopTerminal& terminal) {
  constexpr std::int64_t max_ms = 100;  // until the reports of other hosts are taken in
  TopView view;
  hosts.read();
  auto next = Clock::now() + options.first();
  std::vector<JobFigures> jobs = hosts.jobs();
  while (!interrupted()) {
    const auto [width, height] = terminal.size();
    terminal.show(draw(jobs, view, width, height));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count() + 1;
    const std::optional<std::string> keys = terminal.keys(std::clamp<std::int64_t>(left, 0, max_ms));
    if (!keys) return;
    for (const char key : *keys)
      if (!apply_key(key, view, jobs)) return;
    hosts.listen();
    if (Clock::now() < next) continue;
    next = Clock::now() + options.interval();
    if (view.paused) continue;
    hosts.read();
    jobs = hosts.jobs();
  }
}

/// As plain lines, for people who have no terminal here.
void print(const std::vector<JobFigures>& jobs) {
  constexpr std::size_t any_size = 4096;
  for (std::size_t job = 0; job < std::max<std::size_t>(1, jobs.size()); ++job) {
    const bool named = !jobs.empty() && jobs[job].hosts > 1;
    if (named) fmt::print("on {}\n", jobs[job].host);
    std::vector<std::string> lines =
        draw(jobs.empty() ? jobs : std::vector{jobs[job]}, {.selected = any_size}, any_size, any_size);
    lines.pop_back();  // the keys
    for (const std::string& line : lines)
      if (!line.empty()) fmt::print("{}\n", line.starts_with("\x1b[7m") ? line.substr(4, line.size() - 8) : line);
  }
  std::fflush(stdout);
}

// Until `moment`, or a signal.
void sleep_until(Clock::time_point moment, Hosts& hosts) {
  for (; Clock::now() < moment && !interrupted(); hosts.listen())
    std::this_thread::sleep_for(std::min<Clock::duration>(moment - Clock::now(), 20ms));
}

void print_once(const Options& options, Hosts& hosts) {
  constexpr auto patience = 10s;  // with other hosts, beyond the interval
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

void print_again_and_again(const Options& options, Hosts& hosts) {
  hosts.read();
  for (auto next = Clock::now() + options.first(); !interrupted(); next = Clock::now() + options.interval()) {
    sleep_until(next, hosts);
    hosts.read();
    print(hosts.jobs());
    fmt::print("\n");
  }
}

int run(const Options& options, Ranks* ranks) {
  if (ranks != nullptr) note_interruptions();  // the first rank ends all in good order: MPI leaves nothing behind
  if (ranks != nullptr && !ranks->is_first()) {
    report_jobs(*ranks, options.pids, options.first(), options.interval());
    return 0;
  }
  std::optional<int> terminal;
  if (!options.once) terminal = TopTerminal::find(ranks != nullptr);
  if (!options.once && !terminal && ranks == nullptr)
    throw UsageError("top needs a terminal; in scripts use --once, with --json if you like");
  Hosts hosts(ranks, options.pids, options.interval());
  if (options.once)
    print_once(options, hosts);
  else if (terminal)
    watch(options, hosts, TopTerminal(*terminal));
  else
    print_again_and_again(options, hosts);
  hosts.end();
  return 0;
}

}  // namespace

void add_top(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("top", "Show what the workers of running jobs do, live");
  auto options = std::make_shared<Options>();
  command->add_option("pid", options->pids, "Only the jobs of these processes")->type_name("PID");
  command->add_option("--interval", options->interval_s, "Between two readings, seconds")
      ->capture_default_str()
      ->in_range(0.05, 3600.0);
  auto* once = command->add_flag("--once", options->once, "Print what is there after one interval, and end");
  command->add_flag("--json", options->json, "As JSON, for scripts")->needs(once);
  command->footer(R"(Examples:
  laxity top
  laxity top --once --json --interval 0.2
  mpirun -N 1 --host host1,host2 laxity top      the jobs of both hosts, beside the name of their host

Keys: q quit, up and down (k, j) select, enter the channels of a worker, escape back, s sort, f only what is in trouble,
  tab the next job, p pause.
Shows the jobs of this user on this machine, under a launcher of MPI those of all its machines (one rank on each is
enough). A job over several hosts stands there once for each, under one name. It only reads: a job neither waits for it
nor notices it. Where the launcher has a terminal in the foreground that is used; else lines are printed every interval.
)");
  command->callback([options] { run_on_ranks({}, [&](Ranks* ranks) { return run(*options, ranks); }); });
}

}  // namespace laxity::cli
