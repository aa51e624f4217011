#include "apps/laxity/study/papers/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/laxity/study/launched_study.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/run_directory.hpp"

namespace laxity::cli {
namespace {

enum class Needs { nothing, ranks, emulated_hosts };

struct Step {
  const char* name;
  std::vector<std::string> words;
  double expected_s;  ///< on two cores; only for the time left
  Needs needs = Needs::nothing;
  bool has_length = true;  ///< takes --duration and --window in wall time
};

const std::vector<Step>& steps() {
  static const std::vector<Step> all{
      {"performance", {"study", "performance"}, 130},
      {"work", {"study", "work"}, 90},
      {"threads-vs-processes", {"study", "threads-vs-processes"}, 130},
      {"weak-scaling", {"study", "weak-scaling"}, 80},
      {"faulty", {"study", "faulty"}, 110},
      {"hosts", {"study", "hosts"}, 90, Needs::emulated_hosts},
      {"work-between-hosts", {"study", "work", "--hosts", "2"}, 150, Needs::emulated_hosts},
      {"faulty-host", {"study", "faulty-host"}, 110, Needs::emulated_hosts, false},  // a host is frozen for two seconds
      {"evolution", {"study", "evolution"}, 220},
      {"timewarp", {"study", "timewarp", "--events", "500000"}, 300, Needs::nothing, false},
      {"arrival",
       {"arrival", "-n", "4", "--collectives", "reduce,alltoall", "--sizes", "8,32k"},
       120,
       Needs::ranks,
       false},
      {"simulated-rates", {"scale"}, 240, Needs::nothing, false},
      {"simulated-weak-scaling",
       {"scale", "--ranks", "16,64,256", "--per-host", "1,4", "--mode", "3", "--work", "0", "--nodes", "1", "--depth",
        "64", "--duration", "2ms", "--window", "500us"},
       240,
       Needs::nothing,
       false},
  };
  return all;
}

// Why this machine cannot run it; empty if it can.
std::string obstacle(const Step& step) {
  if (step.needs != Needs::nothing && !can_launch_ranks()) return "needs MPI";
  if (step.needs == Needs::emulated_hosts && geteuid() != 0) return "needs root, to emulate two hosts";
  return "";
}

CommandWords command_of(const Step& step, const PapersOptions& options, const std::filesystem::path& directory) {
  CommandWords words{this_program()};
  words.insert(words.end(), step.words.begin(), step.words.end());
  words.insert(words.end(), {"--output", directory.string(), "--report", "--quiet"});
  if (options.replicates != 0)
    words.insert(words.end(), {step.words.front() == "arrival" ? "--repetitions" : "--replicates",
                               fmt::format("{}", options.replicates)});
  if (options.duration_s != 0 && step.has_length)
    words.insert(words.end(), {"--duration", fmt::format("{}s", options.duration_s), "--window",
                               fmt::format("{}s", options.duration_s / 4)});
  return words;
}

std::vector<const Step*> chosen_steps(const PapersOptions& options) {
  std::vector<const Step*> chosen;
  for (const Step& step : steps())
    if (options.only.empty() || std::ranges::find(options.only, step.name) != options.only.end())
      chosen.push_back(&step);
  return chosen;
}

// Runs the studies that are not done. False: interrupted.
bool run_steps(const PapersOptions& options, const std::filesystem::path& folder, std::vector<std::string>& failed) {
  const std::vector<const Step*> chosen = chosen_steps(options);
  double left_s = 0, expected_s = 0, taken_s = 0;
  for (const Step* step : chosen)
    if (!is_done_study(folder / step->name) && obstacle(*step).empty()) left_s += step->expected_s;
  for (std::size_t place = 0; place < chosen.size(); ++place) {
    const Step& step = *chosen[place];
    const std::string heading = fmt::format("{} of {}: {}", place + 1, chosen.size(), step.name);
    const auto tell = [&](const std::string& what) {
      fmt::print("{}: {}\n", heading, what);
      std::fflush(stdout);
    };
    if (is_done_study(folder / step.name)) {
      tell("done already");
      continue;
    }
    if (const std::string why = obstacle(step); !why.empty()) {
      tell("left out: " + why);
      continue;
    }
    const double pace = expected_s > 0 ? taken_s / expected_s : 1;  // of this machine, from what it has done so far
    tell(fmt::format("running; about {} left for all", duration_text(left_s * pace)));
    const std::filesystem::path log = folder / fmt::format("{}.log", step.name);
    const auto begin = std::chrono::steady_clock::now();
    const auto [code, interrupted] = run_logged(command_of(step, options, folder / step.name), log);
    if (interrupted) return false;
    const double step_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    left_s -= step.expected_s;
    if (code == 0) {
      taken_s += step_s;
      expected_s += step.expected_s;
      continue;
    }
    tell(fmt::format("failed with exit code {}; its output is in {}", code, log.string()));
    failed.emplace_back(step.name);
  }
  return true;
}

}  // namespace

std::vector<std::string> names_of_papers_studies() {
  std::vector<std::string> names;
  for (const Step& step : steps()) names.emplace_back(step.name);
  return names;
}

int run_papers_study(const PapersOptions& options) {
  const std::filesystem::path folder = options.output.empty() ? default_output("papers") : options.output;
  std::filesystem::create_directories(folder);
  let_root_launch_ranks();
  std::vector<std::string> failed;
  if (!run_steps(options, folder, failed)) {
    fmt::print(stderr, "laxity: interrupted; the same command with --output {} resumes\n", folder.string());
    return 1;
  }
  std::vector<std::string> arguments{"evidence"};
  for (const Step* step : chosen_steps(options))
    if (std::filesystem::exists(folder / step->name / "manifest.json"))
      arguments.push_back((folder / step->name).string());
  if (arguments.size() == 1) throw Error("no study of " + folder.string() + " could be run");
  arguments.insert(arguments.end(), {"--output", (folder / "evidence.html").string()});
  if (const int code = run_python_laxity(arguments); code != 0) return code;
  return failed.empty() ? 0 : 1;
}

}  // namespace laxity::cli
