#include "apps/laxity/tune_apply.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "laxity/collective/rules_check.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/random.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::cli {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Treatment {
  std::string name;
  Settings environment;
  std::string rules;  // the text of the file
  std::vector<double> seconds;
};

// The lines NAME=value of a file that was checked.
Settings settings_in(const std::string& path) {
  Settings settings;
  std::string text = laxity::detail::read_whole_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.starts_with("export ")) line.erase(0, 7);
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1, line.find_last_not_of(" \t\r") - equals);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    settings.emplace_back(line.substr(0, equals), value);
  }
  return settings;
}

Settings environment_for(const std::string& path) {
  const collective::RulesCheck check = collective::check_rules_file(path);
  if (!check.traps.empty()) {
    const auto& trap = check.traps.front();
    throw UsageError(ParseError(path, trap.line, trap.column, trap.what).what());
  }
  const std::string file = std::filesystem::absolute(path).string();
  switch (check.kind) {
    case collective::RulesKind::openmpi_version_1:
    case collective::RulesKind::openmpi_version_2:
    case collective::RulesKind::openmpi_json:
      return {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}, {"OMPI_MCA_coll_tuned_dynamic_rules_filename", file}};
    case collective::RulesKind::mpich_json:
      return {{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", file}, {"MPIR_CVAR_DEVICE_COLLECTIVES", "none"}};
    case collective::RulesKind::mpich_environment:
    case collective::RulesKind::intel_environment:
      break;
  }
  return settings_in(path);
}

std::vector<Treatment> treatments_of(const ApplyOptions& options) {
  std::vector<Treatment> treatments{{"library", {}, {}, {}}};
  for (const std::string& word : options.rules) {
    const std::size_t equals = word.find('=');
    const std::string file = equals == std::string::npos ? word : word.substr(equals + 1);
    Settings environment = environment_for(file);  // checks it first
    treatments.push_back({equals == std::string::npos ? word : word.substr(0, equals),
                          std::move(environment),
                          laxity::detail::read_whole_file(file),
                          {}});
  }
  return treatments;
}

[[noreturn]] void become(const ApplyOptions& options, const Settings& environment) {
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (!options.show) {
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) ::dup2(nothing, STDOUT_FILENO);
  }
  std::vector<char*> arguments;
  for (const std::string& word : options.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(errno == ENOENT ? 127 : 126);
}

double seconds_of(const ApplyOptions& options, const Treatment& treatment) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw SystemError("fork()", errno);
  if (child == 0) become(options, treatment.environment);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw SystemError("waitpid()", errno);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string how = WIFEXITED(status) ? "ended with exit code " + std::to_string(WEXITSTATUS(status))
                                              : "was ended by signal " + std::to_string(WTERMSIG(status));
    throw Error(options.command.front() + " " + how + " under the rules of '" + treatment.name +
                "'; --show shows what it writes");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Interval {
  double middle = 0, low = 0, high = 0;
};

// 95 % percentile bootstrap of the ratio of medians. Rounds are drawn as a whole, because what disturbs the machine
// disturbs the runs of a round together.
Interval ratio_of_medians(const std::vector<double>& of, const std::vector<double>& to, std::uint64_t seed) {
  constexpr int draws = 2000;
  SeededRandom random(seed);
  std::vector<double> ratios;
  std::vector<double> above(of.size());
  std::vector<double> below(of.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      const std::size_t round = random.below(static_cast<std::uint32_t>(of.size()));
      above[i] = of[round];
      below[i] = to[round];
    }
    ratios.push_back(median(above) / median(below));
  }
  std::sort(ratios.begin(), ratios.end());
  return {median(of) / median(to), ratios[draws / 40], ratios[draws - draws / 40 - 1]};
}

void print(const std::vector<Treatment>& treatments, std::uint64_t seed) {
  const Treatment& library = treatments.front();
  fmt::print("{:<24} {:>12} {:>12}   {}\n", "rules", "median s", "ratio", "95 % interval of the ratio");
  for (const Treatment& treatment : treatments) {
    fmt::print("{:<24} {:>12.4f}", treatment.name, median(treatment.seconds));
    if (&treatment == &library) {
      fmt::print(" {:>12}\n", "1");
      continue;
    }
    const Interval ratio = ratio_of_medians(treatment.seconds, library.seconds, seed);
    fmt::print(" {:>12.4f}   {:.4f} .. {:.4f}\n", ratio.middle, ratio.low, ratio.high);
  }
  for (std::size_t i = 1; i < treatments.size(); ++i) {
    for (std::size_t other = 1; other < i; ++other) {
      if (treatments[i].rules != treatments[other].rules) continue;
      fmt::print("{} and {} have the same rules: what differs between them is chance\n", treatments[other].name,
                 treatments[i].name);
    }
  }
}

}  // namespace

void apply_rules(const ApplyOptions& options) {
  std::vector<Treatment> treatments = treatments_of(options);
  std::unique_ptr<CsvTable> table;
  if (!options.output.empty()) {
    table =
        std::make_unique<CsvTable>(options.output, std::vector<std::string_view>{"rules", "repetition", "run_time_s"});
  }
  std::cout.flush();
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    for (std::size_t i = 0; i < treatments.size(); ++i) {
      // The order turns from round to round, so that no treatment always follows the same one.
      Treatment& treatment = treatments[(i + static_cast<std::size_t>(repetition)) % treatments.size()];
      treatment.seconds.push_back(seconds_of(options, treatment));
      if (table) table->add(std::string_view(treatment.name), repetition, treatment.seconds.back());
    }
    if (table) table->flush();
  }
  print(treatments, options.seed);
}

}  // namespace laxity::cli
