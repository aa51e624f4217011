#include "apps/laxity/tune/apply.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <utility>

#include "apps/laxity/launch/subprocess.hpp"
#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/error.hpp"
#include "laxity/median.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/random.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::cli {
namespace {

struct Treatment {
  std::string name;
  Variables environment;
  std::string rules;  // the text of the file
  std::vector<double> seconds;
};

// The lines NAME=value of a file that was checked.
Variables settings_in(const std::string& path) {
  Variables settings;
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

Variables environment_for(const std::string& path) {
  const collective::RulesCheck check = collective::check_rules_file(path);
  if (!check.warnings.empty()) {
    const auto& warning = check.warnings.front();
    throw UsageError(ParseError(path, warning.line, warning.column, warning.what).what());
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

Treatment treatment_by(const std::string& name, const std::string& file) {
  Variables environment = environment_for(file);  // checks it first
  return {name, std::move(environment), laxity::detail::read_whole_file(file), {}};
}

// The choices as files, in a folder of the first run directory: the launcher may start the program on other nodes.
void add_choices(const ChoiceOptions& options, std::vector<Treatment>& treatments) {
  const Choices choices(options, std::cout);
  choices.explain(std::cout);
  const auto folder = std::filesystem::path(options.runs.front()) / "rules";
  std::filesystem::create_directories(folder);
  const auto add = [&](const char* name, collective::ChoiceKind kind) {
    const std::string file = (folder / name).string();
    replace_file(file, choices.text(kind));
    std::cout << "tune: " << file << '\n';
    treatments.push_back(treatment_by(name, file));
  };
  add("no_delay", collective::ChoiceKind::no_delay);
  add("robust", collective::ChoiceKind::robust);
  if (choices.has_traced()) add("traced", collective::ChoiceKind::traced);
}

std::vector<Treatment> treatments_of(const ApplyOptions& options) {
  std::vector<Treatment> treatments{{"library", {}, {}, {}}};
  if (!options.choice.runs.empty()) add_choices(options.choice, treatments);
  for (const std::string& word : options.rules) {
    const std::size_t equals = word.find('=');
    const bool is_named = equals != std::string::npos;
    treatments.push_back(
        treatment_by(is_named ? word.substr(0, equals) : word, is_named ? word.substr(equals + 1) : word));
  }
  if (treatments.size() == 1) throw UsageError("say what to try: --measured RUN, or --rules [NAME=]FILE");
  return treatments;
}

double seconds_of(const ApplyOptions& options, const Treatment& treatment) {
  const auto start = std::chrono::steady_clock::now();
  Subprocess program(options.command, {.output = options.show ? Output::inherited : Output::errors_only,
                                       .environment = treatment.environment});
  if (const int code = program.wait(); code != 0) {
    const std::string how = code > 128 ? "was ended by signal " + std::to_string(code - 128)
                                       : "ended with exit code " + std::to_string(code);
    throw Error(options.command.front() + " " + how + " under the rules of '" + treatment.name +
                "'; --show shows what it writes");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Interval {
  double middle = 0, low = 0, high = 0;
};

// 95 % percentile bootstrap of a statistic of rounds, which it is given by their numbers. Rounds are drawn as a whole,
// because what disturbs the machine disturbs the runs of a round together.
template <class Statistic>
Interval bootstrap(std::size_t rounds, std::uint64_t seed, Statistic statistic) {
  constexpr std::size_t draws = 2000;
  SeededRandom random(seed);
  std::vector<std::size_t> drawn(rounds);
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  const double middle = statistic(drawn);
  std::vector<double> values;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (std::size_t& round : drawn) round = random.below(static_cast<std::uint32_t>(rounds));
    values.push_back(statistic(drawn));
  }
  std::sort(values.begin(), values.end());
  return {middle, values[draws / 40], values[draws - draws / 40 - 1]};
}

double median_of(const std::vector<double>& seconds, const std::vector<std::size_t>& rounds) {
  std::vector<double> chosen;
  for (const std::size_t round : rounds) chosen.push_back(seconds[round]);
  return median(std::move(chosen));
}

void print(const std::vector<Treatment>& treatments, std::uint64_t seed) {
  const std::vector<double>& library = treatments.front().seconds;
  fmt::print("{:<16} {:>10}   {:<20} {:>8}   {}\n", "rules", "median s", "95 % interval", "ratio", "95 % interval");
  for (const Treatment& treatment : treatments) {
    const std::vector<double>& own = treatment.seconds;
    const Interval time = bootstrap(own.size(), seed, [&](const auto& rounds) { return median_of(own, rounds); });
    const std::string times = fmt::format("{:.4f} .. {:.4f}", time.low, time.high);
    fmt::print("{:<16} {:>10.4f}   {:<20}", treatment.name, time.middle, times);
    if (&treatment == &treatments.front()) {
      fmt::print(" {:>8}\n", "1");
      continue;
    }
    const Interval ratio = bootstrap(
        own.size(), seed, [&](const auto& rounds) { return median_of(own, rounds) / median_of(library, rounds); });
    fmt::print(" {:>8.4f}   {:.4f} .. {:.4f}\n", ratio.middle, ratio.low, ratio.high);
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
