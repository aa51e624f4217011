// laxity top: what the workers of running jobs do, live; once and as JSON for scripts.
//
// It reads the counters of other processes and writes to none of them, so it costs a job nothing and cannot hold it up.
// Elsewhere: the figures (top_figures.hpp), the screen (top_screen.hpp).
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apps/laxity/subcommands.hpp"
#include "apps/laxity/top_figures.hpp"
#include "apps/laxity/top_screen.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// The jobs that have been seen, those that are over too.
class Watches {
 public:
  /// Reads all known jobs again, and takes in new ones.
  void read() {
    for (JobWatch& watch : watches_) watch.read();
    for (Job& job : Job::find_all()) {
      const auto known = std::ranges::find(watches_, job.identity(), &JobWatch::identity);
      if (known == watches_.end()) watches_.emplace_back(std::move(job));
    }
  }

  [[nodiscard]] std::vector<JobFigures> figures(const std::vector<int>& pids) const {
    std::vector<JobFigures> all;
    for (const JobWatch& watch : watches_) {
      JobFigures job = watch.figures();
      if (pids.empty() || std::ranges::find(pids, job.pid) != pids.end()) all.push_back(std::move(job));
    }
    // Jobs that are over stand last; the order of the others never changes under the user's eyes.
    std::ranges::stable_partition(all,
                                  [](const JobFigures& job) { return job.state != "dead" && job.state != "ended"; });
    return all;
  }

 private:
  std::vector<JobWatch> watches_;
};

/// A terminal that gives keys at once and shows no cursor, until this object ends.
class RawTerminal {
 public:
  RawTerminal() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) throw SystemError("tcgetattr(standard input)", errno);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };  // without SA_RESTART: poll() returns
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
    action.sa_handler = [](int) {};  // a new size: draw again
    ::sigaction(SIGWINCH, &action, nullptr);
    fmt::print("\x1b[?1049h\x1b[?25l");
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    fmt::print("\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

 private:
  termios before_{};
};

std::pair<std::size_t, std::size_t> size_of_terminal() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {80, 24};
  return {size.ws_col, size.ws_row};
}

void show(const std::vector<JobFigures>& jobs, const TopView& view) {
  const auto [width, height] = size_of_terminal();
  std::string screen = "\x1b[H";
  const std::vector<std::string> lines = draw(jobs, view, width, height);
  for (std::size_t line = 0; line < lines.size(); ++line) screen += (line == 0 ? "" : "\r\n") + lines[line] + "\x1b[K";
  fmt::print("{}\x1b[J", screen);
  std::fflush(stdout);
}

// Keys that are there, arrows as letters; a key alone or a sequence comes in one read.
std::string keys_of(std::string_view bytes) {
  std::string keys;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.substr(i).starts_with("\x1b[") && i + 2 < bytes.size()) {
      if (bytes[i + 2] == 'A') keys += 'k';
      if (bytes[i + 2] == 'B') keys += 'j';
      i += 2;
    } else {
      keys += bytes[i];
    }
  }
  return keys;
}

void watch(double interval_s, const std::vector<int>& pids) {
  using Clock = std::chrono::steady_clock;
  const RawTerminal terminal;
  Watches watches;
  TopView view;
  watches.read();
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_s));
  // The second reading comes soon, so that there is something to see.
  auto next = Clock::now() + std::min<Clock::duration>(interval, std::chrono::milliseconds(200));
  std::vector<JobFigures> jobs = watches.figures(pids);
  while (interrupted == 0) {
    show(jobs, view);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count() + 1;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, static_cast<int>(std::max<std::int64_t>(0, left))) > 0) {
      char bytes[64];
      const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (got <= 0) return;  // the terminal has gone
      for (const char key : keys_of({bytes, static_cast<std::size_t>(got)}))
        if (!apply_key(key, view, jobs)) return;
    }
    if (Clock::now() < next) continue;
    next = Clock::now() + interval;
    if (view.paused) continue;
    watches.read();
    jobs = watches.figures(pids);
  }
}

void print_once(double interval_s, bool json, const std::vector<int>& pids) {
  Watches watches;
  watches.read();
  std::this_thread::sleep_for(std::chrono::duration<double>(interval_s));
  watches.read();
  const std::vector<JobFigures> jobs = watches.figures(pids);
  if (json) {
    fmt::print("{}\n", to_json(jobs));
    return;
  }
  constexpr std::size_t any_height = 4096;
  for (std::size_t job = 0; job < std::max<std::size_t>(1, jobs.size()); ++job) {
    std::vector<std::string> lines =
        draw(jobs.empty() ? jobs : std::vector{jobs[job]}, {.selected = any_height}, 100, any_height);
    lines.pop_back();  // the keys
    for (const std::string& line : lines)
      if (!line.empty()) fmt::print("{}\n", line.starts_with("\x1b[7m") ? line.substr(4, line.size() - 8) : line);
  }
}

}  // namespace

void add_top(CLI::App& app) {
  struct Options {
    double interval_s = 1;
    bool once = false;
    bool json = false;
    std::vector<int> pids;
  };
  auto* command = app.add_subcommand("top", "Show what the workers of running jobs do, live");
  auto options = std::make_shared<Options>();
  command->add_option("pid", options->pids, "Only the jobs of these processes")->type_name("PID");
  command->add_option("--interval", options->interval_s, "Between two readings, seconds")
      ->capture_default_str()
      ->check(CLI::Range(0.05, 3600.0));
  auto* once = command->add_flag("--once", options->once, "Print what is there after one interval, and end");
  command->add_flag("--json", options->json, "As JSON, for scripts")->needs(once);
  command->footer(R"(Examples:
  laxity top
  laxity top --once --json --interval 0.2

Keys: q quit, up and down (k, j) select, enter the channels of a worker, escape back, s sort, f only what is in trouble,
  tab the next job, p pause.
Shows the jobs of this user on this machine. It only reads: a job neither waits for it nor notices it.
)");
  command->callback([options] {
    if (options->once) return print_once(options->interval_s, options->json, options->pids);
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1)
      throw UsageError("top needs a terminal; in scripts use --once, with --json if you like");
    watch(options->interval_s, options->pids);
  });
}

}  // namespace laxity::cli
