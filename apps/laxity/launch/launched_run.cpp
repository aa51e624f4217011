#include "apps/laxity/launch/launched_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "apps/smpi_ranks/result_file.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* log_file = "launcher.log";
constexpr const char* result_name = "result";
constexpr const char* directory_name = "run";

// The last line of a log that is not blank.
std::string last_line_of(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string last = "its log is empty";
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of(" -\r") != std::string::npos) last = line;
  return last;
}

// Failure is ignored: a file that stays does no harm.
void remove_quietly(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

LaunchedRuns::LaunchedRuns(std::filesystem::path folder, Launchers launchers)
    : folder_(std::move(folder)), launchers_(std::move(launchers)) {
  const std::filesystem::path parent = folder_.parent_path();
  const bool is_new = !parent.empty() && !std::filesystem::exists(parent);
  std::filesystem::create_directories(folder_);
  try {
    for (const auto& launcher : {launchers_.same, launchers_.different})
      if (!launcher.empty() && !start(launcher, 1, {"true"})) throw Error("interrupted before the first run");
  } catch (...) {
    remove_quietly(is_new ? parent : folder_);  // nothing has been measured
    throw;
  }
}

ColoringResult LaunchedRuns::run(const ColoringRun& run, const ColorTreatment& treatment) {
  const std::filesystem::path result_file = folder_ / result_name, directory = folder_ / directory_name;
  remove_quietly(result_file);
  remove_quietly(directory);
  const auto seconds = [](std::int64_t time_ns) { return fmt::format("{}", static_cast<double>(time_ns) * 1e-9); };
  std::vector<std::string> program{this_program(), "color",
                                   "--mode",       fmt::format("{}", static_cast<int>(run.pacing.mode)),
                                   "--nodes",      fmt::format("{}", treatment.nodes_per_worker),
                                   "--work",       fmt::format("{}", treatment.work),
                                   "--send-depth", fmt::format("{}", run.layer.send_depth),
                                   "--seed",       fmt::format("{}", run.coloring.seed),
                                   "--duration",   seconds(run.duration_ns),
                                   "--window",     seconds(run.window_ns),
                                   "--result",     result_file.string(),
                                   "--output",     directory.string(),
                                   "--quiet"};
  if (run.one_way_latency) program.emplace_back("--one-way-latency");
  if (run.message_log != 0) program.insert(program.end(), {"--message-log", fmt::format("{}", run.message_log)});
  if (run.interval_ns != 0) program.insert(program.end(), {"--interval", seconds(run.interval_ns)});
  if (run.fault.kind == WorkerFault::Kind::freeze)
    program.insert(program.end(),
                   {"--frozen-worker", fmt::format("{}", run.fault.worker), "--frozen", seconds(run.fault.pause_ns)});
  if (!launchers_.shared_memory) program.insert(program.end(), {"--shared-memory", "off", "--messages", "two_sided"});
  ColoringResult result;
  const int ranks_of_host = treatment.shape.workers() / treatment.hosts;
  if (!start(treatment.hosts == 1 ? launchers_.same : launchers_.different, ranks_of_host, program)) {
    result.team.interrupted = true;
    return result;
  }
  result = read_result(result_file.string());
  remove_quietly(result_file);
  remove_quietly(directory);
  const int ranks = static_cast<int>(result.workers.size());
  if (ranks != treatment.shape.workers())
    throw Error(fmt::format("the launcher started {} ranks, and not {}", ranks, treatment.shape.workers()));
  for (int rank = 0; rank < ranks; ++rank)
    result.team.workers.push_back({{.process = rank, .processes = ranks, .is_rank = true}, WorkerState::finished, ""});
  result.placement = treatment.hosts == 1 ? "ranks of one host" : "ranks of different hosts";
  return result;
}

Configuration LaunchedRuns::configuration() const {
  Configuration words;
  const auto add = [&](const char* name, const std::vector<std::string>& launcher) {
    if (!launcher.empty()) words.emplace_back(name, fmt::format("{}", fmt::join(launcher, " ")));
  };
  add("launcher_same_node", launchers_.same);
  add("launcher_different_nodes", launchers_.different);
  if (!launchers_.shared_memory) words.emplace_back("shared_memory", false);
  return words;
}

// False: interrupted.
bool LaunchedRuns::start(std::vector<std::string> launcher, int ranks, const std::vector<std::string>& program) const {
  std::ranges::replace(launcher, std::string(ranks_per_host), fmt::format("{}", ranks));
  CommandWords words = launcher;
  words.insert(words.end(), program.begin(), program.end());
  const std::filesystem::path log = folder_ / log_file;
  const ProgramEnd end = run_logged(words, log);
  if (end.interrupted) return false;
  if (end.code != 0)
    throw Error(fmt::format("ranks cannot be run with {}: exit code {}, {}", fmt::join(launcher, " "), end.code,
                            last_line_of(log)));
  return true;
}

}  // namespace laxity::cli
