// laxity study custom: runs any program built with the library with varied arguments, and observes it from outside.
//
// The program needs no change: its team is found as `laxity top` finds it, and its counters are read while they change.
// Invariants: a run counts when the program has ended with code 0 and a team of it has been seen.
// Elsewhere: how teams are found (laxity/launch/job.hpp), the tables (docs/run_format.md, kind custom).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/job.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/metrics/team_tables.hpp"

namespace laxity::cli {
namespace {

constexpr std::size_t max_value = 200;  // bytes of a value in runs.csv, where it names a treatment

volatile std::sig_atomic_t interrupted = 0;

struct Options {
  std::vector<std::string> command;
  std::string vary;  // NAME=a,b,c
  int replicates = 5;
  double window_s = 0.5;
  std::string output;
  bool report = false;
  bool quiet = false;
};

/// What is varied, and the values it takes; one empty value where nothing is.
struct Variation {
  std::string name;
  std::vector<std::string> values{""};
};

Variation variation_of(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError("--vary " + text + ": write NAME=a,b,c and {NAME} in the arguments of the program");
  Variation variation{text.substr(0, equals), {}};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string value = text.substr(begin, end - begin);
    const auto is_control = [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; };
    if (value.empty() || value.size() > max_value || std::ranges::any_of(value, is_control))
      throw UsageError(fmt::format("--vary {}: value {} must have 1 to {} printable characters", variation.name,
                                   variation.values.size() + 1, max_value));
    if (std::ranges::find(variation.values, value) != variation.values.end())
      throw UsageError(fmt::format("--vary {}: the value {} is there twice", variation.name, value));
    variation.values.push_back(std::move(value));
    begin = end + 1;
  }
  return variation;
}

/// True if {name} was somewhere in the words.
bool replace_all(std::vector<std::string>& words, const std::string& name, const std::string& value) {
  const std::string place = "{" + name + "}";
  bool used = false;
  for (std::string& word : words) {
    for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + value.size())) {
      word.replace(at, place.size(), value);
      used = true;
    }
  }
  return used;
}

std::vector<std::string> command_with(const Options& options, const Variation& variation, const std::string& value,
                                      std::int64_t run) {
  std::vector<std::string> command = options.command;
  if (!variation.name.empty() && !replace_all(command, variation.name, value))
    throw UsageError("--vary " + variation.name + ": {" + variation.name + "} is nowhere in the program's arguments");
  replace_all(command, "run", std::to_string(run));
  return command;
}

std::int64_t parent_of(std::int64_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  long long parent = 0;
  char state = 0;
  if (name_end == std::string::npos || std::sscanf(text.c_str() + name_end + 1, " %c %lld", &state, &parent) != 2)
    return 0;
  return parent;
}

/// The team of this program, or of one that it started, as a script does.
std::optional<Job> job_of(pid_t program) {
  for (Job& job : Job::find_all())
    for (std::int64_t pid = job.notice().pid; pid > 1; pid = parent_of(pid))
      if (pid == program) return std::move(job);
  return std::nullopt;
}

/// Snapshots of a job by reading, one window after another.
class Reader {
 public:
  Reader(Job job, std::int64_t window_ns) : job_(std::move(job)), window_ns_(window_ns) {}

  void poll(std::int64_t now_ns) {
    if (now_ns < next_ns_ || !all_update()) return;
    next_ns_ = now_ns + window_ns_;
    Reading reading = read();
    if (!first_) first_ = reading.workers;
    if (last_) add_snapshots(snapshots_, taken_++, last_->links, reading.links);
    last_ = std::move(reading);
  }

  [[nodiscard]] const JobNotice& notice() const noexcept { return job_.notice(); }
  [[nodiscard]] const std::vector<LinkSnapshot>& snapshots() const noexcept { return snapshots_; }
  /// What a worker did between the first reading and the last. The counters outlive the program.
  [[nodiscard]] WorkerRow worker_row(std::int64_t run, int id) const {
    const auto place = static_cast<std::size_t>(id);
    const int threads = std::max(1, notice().threads);
    WorkerRow row{run, id, id / threads, id % threads, 0, 0, state_of(id)};
    if (!first_ || !last_) return row;
    row.updates = last_->workers[place].updates - (*first_)[place].updates;
    row.elapsed_ns = last_->workers[place].time_ns - (*first_)[place].time_ns;
    return row;
  }

 private:
  struct Reading {
    std::vector<WorkerObservation> workers;
    LinkObservations links;
  };

  [[nodiscard]] std::string_view state_of(int id) const {
    return name_of(job_.table().worker(id).state.load(std::memory_order_acquire));
  }
  [[nodiscard]] bool is_elsewhere(std::uint32_t id) const {
    return job_.table().worker(static_cast<int>(id)).state.load(std::memory_order_acquire) == WorkerState::elsewhere;
  }
  // True from the first update of the last worker to the end of the first, of the workers on this host.
  [[nodiscard]] bool all_update() const {
    for (int id = 0; id < notice().workers; ++id) {
      const WorkerCounters& worker = job_.table().worker(id);
      const WorkerState state = worker.state.load(std::memory_order_acquire);
      if (state == WorkerState::elsewhere) continue;
      if (state != WorkerState::running || worker.updates.read() == 0) return false;
    }
    return true;
  }
  [[nodiscard]] Reading read() const {
    Reading reading;
    for (int id = 0; id < notice().workers; ++id)
      reading.workers.push_back({SteadyClock{}.now_ns(), job_.table().worker(id).updates.read()});
    job_.table().for_each_link([&](const LinkKey& key, LinkRow& row) {
      if (is_elsewhere(key.from_worker) || is_elsewhere(key.to_worker))
        return;  // the counters of one end are on another host
      reading.links[key] = {.neighbor_kind = row.neighbor_kind.load(std::memory_order_relaxed),
                            .channels = row.channels.load(std::memory_order_relaxed),
                            .sender = reading.workers.at(key.from_worker),
                            .receiver = reading.workers.at(key.to_worker),
                            .inlet = observe(row.inlet),
                            .outlet = observe(row.outlet)};
    });
    return reading;
  }
  Job job_;
  std::int64_t window_ns_;
  std::int64_t next_ns_ = 0;
  int taken_ = 0;
  std::optional<std::vector<WorkerObservation>> first_;
  std::optional<Reading> last_;
  std::vector<LinkSnapshot> snapshots_;
};

class Runner {
 public:
  Runner(const Options& options, const Variation& variation, RunDirectory& directory)
      : options_(options),
        variation_(variation),
        directory_(directory),
        runs_(directory.path()),
        workers_(directory.path()),
        qos_(directory.path()),
        disturbances_(directory.path()),
        progress_(options.quiet) {}

  /// Returns false if interrupted.
  bool run_all() {
    const auto treatments = static_cast<std::int64_t>(variation_.values.size());
    const std::int64_t runs = treatments * options_.replicates;
    for (std::int64_t run = 0; run < runs; ++run) {
      if (directory_.runs_done().contains(run)) continue;
      const std::string& value = variation_.values[static_cast<std::size_t>(run % treatments)];
      progress_.show(static_cast<double>(run) / static_cast<double>(runs),
                     fmt::format("run {} of {} {}", run + 1, runs, value));
      if (!run_one(run, value)) return false;
    }
    progress_.clear();
    return true;
  }
  [[nodiscard]] int failures() const noexcept { return failures_; }

 private:
  bool run_one(std::int64_t run, const std::string& value) {
    using namespace std::chrono_literals;
    const DisturbanceMeter meter;
    Subprocess program(command_with(options_, variation_, value, run),
                       {.output = Output::appended_to_log, .log = directory_.path() / "program.log"});
    const SteadyClock clock;
    const std::int64_t begin_ns = clock.now_ns();
    const auto window_ns = static_cast<std::int64_t>(options_.window_s * 1e9);
    std::optional<Reader> reader;
    std::optional<int> code = program.exit_code();
    for (; !code; code = program.exit_code()) {
      if (interrupted != 0) return false;
      if (!reader)
        if (std::optional<Job> job = job_of(program.pid())) reader.emplace(std::move(*job), window_ns);
      if (reader) reader->poll(clock.now_ns());
      std::this_thread::sleep_for(reader ? 5ms : 20ms);
    }
    if (interrupted != 0 || !code) return false;
    add_rows(disturbances_, run, std::vector{meter.since_begin()});
    write(run, value, *code, clock.now_ns() - begin_ns, reader);
    return true;
  }

  void write(std::int64_t run, const std::string& value, int code, std::int64_t duration_ns,
             const std::optional<Reader>& reader) {
    const std::string status = code != 0 ? fmt::format("exit code {}", code) : reader ? "done" : "no team was seen";
    JobNotice team;
    team.threads = 1;
    int workers = 1;
    std::uint64_t updates = 0;
    double rates = 0;
    if (reader) {
      team = reader->notice();
      workers = team.workers;
      for (int id = 0; id < workers; ++id) {
        const WorkerRow row = reader->worker_row(run, id);
        add_row(workers_, row);
        updates += row.updates;
        if (row.elapsed_ns > 0) rates += static_cast<double>(row.updates) * 1e9 / static_cast<double>(row.elapsed_ns);
      }
      for (const LinkSnapshot& snapshot : sum_channels(reader->snapshots())) add_row(qos_, run, snapshot);
    }
    workers_.flush();
    qos_.flush();
    runs_.add(column<"run">(run), column<"treatment">(value.empty() ? std::string("all") : value),
              column<"shape">(team.shape()), column<"threads">(team.threads),
              column<"processes">(std::max(1, team.processes)), column<"workers">(workers),
              column<"replicate">(run / static_cast<std::int64_t>(variation_.values.size())),
              column<"duration_ns">(duration_ns), column<"updates_total">(updates),
              column<"updates_per_second_per_worker">(rates / workers), column<"exit_code">(code),
              column<"status">(status));
    runs_.flush();
    if (status == "done") return;
    ++failures_;
    progress_.clear();
    fmt::print(stderr, "laxity: run {} {}: {}; its output is in {}\n", run, value, status,
               (directory_.path() / "program.log").string());
  }

  const Options& options_;
  const Variation& variation_;
  RunDirectory& directory_;
  TableWriter<tables::custom_runs> runs_;
  WorkersTable workers_;
  QosTable qos_;
  DisturbancesTable disturbances_;
  ProgressLine progress_;
  int failures_ = 0;
};

int run_custom_study(const Options& options, int argc, const char* const* argv) {
  const Variation variation = variation_of(options.vary);
  for (const std::string& value : variation.values) (void)command_with(options, variation, value, 0);
  const std::filesystem::path output = options.output.empty() ? default_output("custom") : options.output;
  Manifest manifest = manifest_of_this_machine("custom", output.filename().string(), argc, argv);
  manifest.configuration = {{"study", std::string("custom")},
                            {"program", options.command},
                            {"vary", options.vary},
                            {"replicates", std::int64_t{options.replicates}},
                            {"window_s", options.window_s}};
  RunDirectory directory(output, std::move(manifest));
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  Runner runner(options, variation, directory);
  bool whole = false;
  try {
    whole = runner.run_all();
  } catch (...) {
    directory.finish("failed");
    throw;
  }
  directory.finish(whole ? "done" : "interrupted");
  if (!whole) {
    fmt::print(stderr, "laxity: interrupted; the same command with --output {} resumes\n", output.string());
    return 1;
  }
  if (!options.quiet) fmt::print("results in {}\n", output.string());
  if (options.report)
    if (const int code = run_python_laxity({"report", output.string()}); code != 0) return code;
  return runner.failures() == 0 ? 0 : 1;
}

}  // namespace

void add_custom_study(Command& app, int argc, const char* const* argv) {
  auto* command =
      app.get_subcommand("study")->add_subcommand("custom", "Run and observe any program built with the library");
  auto options = std::make_shared<Options>();
  command->add_option("program", options->command, "The program and its arguments, after --")->required();
  command->add_option("--vary", options->vary, "NAME=a,b,c: replace {NAME} in the arguments by each of the values");
  command->add_option("--replicates", options->replicates, "Runs of each value")->capture_default_str()->at_least(1);
  command->add_duration("--window", options->window_s, "Duration of a snapshot", {.min_s = 0.01, .max_s = 3600})
      ->capture_default_str();
  command->add_option("--output", options->output, "Run directory; default runs/custom-<time>");
  command->add_flag("--report", options->report, "Write report.html at the end");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->footer(
      "Example:\n  laxity study custom --vary n=1,2,4 --report -- ./my_program --threads {n}\n\n"
      "{run} in the arguments is replaced by the number of the run, for programs that write files.\n"
      "To resume an interrupted study, repeat the command with its --output.\n");
  command->callback([options, argc, argv] {
    if (const int code = run_custom_study(*options, argc, argv); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
