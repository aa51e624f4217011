#include "apps/laxity/study/custom/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/laxity/study/custom/observed_team.hpp"
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

volatile std::sig_atomic_t was_interrupted = 0;

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

std::vector<std::string> command_with(const CustomOptions& options, const Variation& variation,
                                      const std::string& value, std::int64_t run) {
  std::vector<std::string> command = options.command;
  if (!variation.name.empty() && !replace_all(command, variation.name, value))
    throw UsageError("--vary " + variation.name + ": {" + variation.name + "} is nowhere in the program's arguments");
  replace_all(command, "run", std::to_string(run));
  return command;
}

class Runner {
 public:
  Runner(const CustomOptions& options, const Variation& variation, RunDirectory& directory)
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
    std::optional<ObservedTeam> team;
    std::optional<int> code = program.exit_code();
    for (; !code; code = program.exit_code()) {
      if (was_interrupted != 0) return false;
      if (!team) team = ObservedTeam::of_program(program.pid(), window_ns);
      if (team) team->poll(clock.now_ns());
      std::this_thread::sleep_for(team ? 5ms : 20ms);
    }
    if (was_interrupted != 0 || !code) return false;
    add_rows(disturbances_, run, std::vector{meter.since_begin()});
    write(run, value, *code, clock.now_ns() - begin_ns, team);
    return true;
  }

  void write(std::int64_t run, const std::string& value, int code, std::int64_t duration_ns,
             const std::optional<ObservedTeam>& reader) {
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

  const CustomOptions& options_;
  const Variation& variation_;
  RunDirectory& directory_;
  TableWriter<tables::custom_runs> runs_;
  WorkersTable workers_;
  QosTable qos_;
  DisturbancesTable disturbances_;
  ProgressLine progress_;
  int failures_ = 0;
};

}  // namespace

int run_custom_study(const CustomOptions& options) {
  const Variation variation = variation_of(options.vary);
  for (const std::string& value : variation.values) (void)command_with(options, variation, value, 0);
  const std::filesystem::path output = options.output.empty() ? default_output("custom") : options.output;
  Manifest manifest = manifest_of_this_machine("custom", output.filename().string(), options.argc, options.argv);
  manifest.configuration = {{"study", std::string("custom")},
                            {"program", options.command},
                            {"vary", options.vary},
                            {"replicates", std::int64_t{options.replicates}},
                            {"window_s", options.window_s}};
  RunDirectory directory(output, std::move(manifest));
  struct sigaction action {};
  action.sa_handler = [](int) { was_interrupted = 1; };
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

}  // namespace laxity::cli
