#include "apps/laxity/top/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

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

Clock::duration interval_of(const TopOptions& options) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.interval_s));
}

// The first figures need a second reading, which follows soon after the first.
Clock::duration first_interval_of(const TopOptions& options) {
  return options.once ? interval_of(options) : std::min<Clock::duration>(interval_of(options), 200ms);
}

void watch(const TopOptions& options, Hosts& hosts, const TopTerminal& terminal) {
  constexpr std::int64_t max_ms = 100;  // between polls for the reports of other hosts
  constexpr std::size_t lines_without_rows = 8;
  const bool has_colors = std::getenv("NO_COLOR") == nullptr;
  TopView view;
  hosts.read();
  auto next = Clock::now() + first_interval_of(options);
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
    next = Clock::now() + interval_of(options);
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

void print_once(const TopOptions& options, Hosts& hosts) {
  constexpr auto patience = 10s;  // for the reports of other hosts, beyond the interval
  hosts.read();
  sleep_until(Clock::now() + interval_of(options), hosts);
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

void print_repeatedly(const TopOptions& options, Hosts& hosts) {
  hosts.read();
  for (auto next = Clock::now() + first_interval_of(options); !interrupted();
       next = Clock::now() + interval_of(options)) {
    sleep_until(next, hosts);
    hosts.read();
    print(hosts.jobs());
    fmt::print("\n");
  }
}

// A monitoring system scrapes when it likes; between readings it gets the last figures.
void serve(const TopOptions& options, Hosts& hosts) {
  note_interruptions();
  const MetricsServer server(options.open_metrics);
  fmt::print("serving http://{}/metrics\n", server.address());
  std::fflush(stdout);
  hosts.read();
  sleep_until(Clock::now() + first_interval_of(options), hosts);
  while (!interrupted()) {
    hosts.receive();
    hosts.read();
    hosts.forget_ended();
    const std::string metrics = to_open_metrics(hosts.hosts(), hosts.jobs());
    for (const auto next = Clock::now() + interval_of(options); Clock::now() < next && !interrupted(); hosts.receive())
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

}  // namespace

int run_top(const TopOptions& options, Ranks* ranks) {
  if (ranks != nullptr) note_interruptions();  // the first rank ends all ranks in order
  if (ranks != nullptr && !ranks->is_first()) {
    report_jobs(*ranks, options.pids, first_interval_of(options), interval_of(options));
    return 0;
  }
  if (ranks == nullptr) check_pids(options.pids);
  const bool serves = !options.open_metrics.empty();
  std::optional<int> terminal;
  if (!options.once && !serves) terminal = TopTerminal::find(ranks != nullptr);
  if (!options.once && !serves && !terminal && ranks == nullptr)
    throw UsageError("top needs a terminal; in scripts use --once, or --once --json, or --openmetrics");
  Hosts hosts(ranks, options.pids, interval_of(options));
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

}  // namespace laxity::cli
