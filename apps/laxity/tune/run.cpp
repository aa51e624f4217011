#include "apps/laxity/tune/run.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>

#include "apps/laxity/tune/print.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::cli {
namespace {

struct Treatment {
  RunTimes times;
  Variables environment;
};

// The variables that make an MPI use a rules file, or the settings in the file.
Variables environment_for(const std::string& path) {
  collective::RulesCheck check = collective::check_rules_file(path);
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
  return std::move(check.settings);
}

Treatment make_treatment(const std::string& name, const std::string& file) {
  Variables environment = environment_for(file);
  std::string settings;
  for (const auto& [variable, value] : environment) {
    settings.append(settings.empty() ? "" : " ").append(variable).append("=").append(value);
  }
  return {{name, laxity::detail::read_whole_file(file), std::move(settings), {}}, std::move(environment)};
}

void write_file(const Choices& choices, const std::string& path, collective::ChoiceKind kind) {
  replace_file(path, choices.text(kind));
  std::cout << "tune: " << path << '\n';
}

// Writes the choices to a folder of the first run directory, since the program may run on other hosts.
void add_choices(const ChoiceOptions& options, std::vector<Treatment>& treatments) {
  const Choices choices(options, std::cout);
  const auto folder = std::filesystem::path(options.runs.front()) / "rules";
  std::filesystem::create_directories(folder);
  const auto add = [&](const char* name, collective::ChoiceKind kind) {
    if (!choices.was_measured(kind)) return;
    if (!choices.chooses(kind)) {
      std::cout << name << ": keeps the library's own choice for all sizes, so there is nothing to compare\n";
      return;
    }
    const std::string file = (folder / name).string();
    write_file(choices, file, kind);
    treatments.push_back(make_treatment(name, file));
  };
  add("no_delay", collective::ChoiceKind::no_delay);
  add("robust", collective::ChoiceKind::robust);
  add("traced", collective::ChoiceKind::traced);
}

std::vector<Treatment> treatments_of(const ApplyOptions& options) {
  if (options.choice.runs.empty() && options.rules.empty()) {
    throw UsageError("expected --measured RUN or --rules [NAME=]FILE");
  }
  std::vector<Treatment> treatments{{{"library", {}, {}, {}}, {}}};
  if (!options.choice.runs.empty()) add_choices(options.choice, treatments);
  for (const std::string& word : options.rules) {
    const std::size_t equals = word.find('=');
    const bool is_named = equals != std::string::npos;
    treatments.push_back(
        make_treatment(is_named ? word.substr(0, equals) : word, is_named ? word.substr(equals + 1) : word));
  }
  return treatments;
}

double seconds_of(const ApplyOptions& options, const Treatment& treatment) {
  const auto start = std::chrono::steady_clock::now();
  Subprocess program(options.command, {.output = options.show ? Output::inherited : Output::errors_only,
                                       .environment = treatment.environment});
  if (const int code = program.wait(); code != 0) {
    const std::string how = code > 128 ? "was ended by signal " + std::to_string(code - 128)
                                       : "ended with exit code " + std::to_string(code);
    throw Error(options.command.front() + " " + how + " with the rules '" + treatment.times.name +
                "'; --show shows its output");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void write_choices(const TuneOptions& options) {
  const Choices choices(options.choice, std::cout);
  const auto write = [&](const std::string& path, collective::ChoiceKind kind) {
    if (!path.empty()) write_file(choices, path, kind);
  };
  write(options.output, collective::ChoiceKind::robust);
  write(options.no_delay_output, collective::ChoiceKind::no_delay);
  write(options.traced_output, collective::ChoiceKind::traced);
}

bool check_rules_files(const std::vector<std::string>& files) {
  bool all_correct = true;
  for (const std::string& file : files) {
    try {
      const collective::RulesCheck check = collective::check_rules_file(file);
      print_check(file, check, std::cout);
      all_correct = all_correct && check.warnings.empty();
    } catch (const Error& error) {
      std::cout << error.what() << '\n';
      all_correct = false;
    }
  }
  return all_correct;
}

void apply_rules(const ApplyOptions& options) {
  std::vector<Treatment> treatments = treatments_of(options);
  if (treatments.size() == 1) {
    std::cout << "recommended: the library's own choice; no algorithm was measured to be faster\n";
    return;
  }
  std::unique_ptr<CsvTable> table;
  if (!options.output.empty()) {
    table =
        std::make_unique<CsvTable>(options.output, std::vector<std::string_view>{"rules", "repetition", "run_time_s"});
  }
  std::cout.flush();
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    for (std::size_t i = 0; i < treatments.size(); ++i) {
      // The order rotates from round to round, so that no treatment always follows the same one.
      Treatment& treatment = treatments[(i + static_cast<std::size_t>(repetition)) % treatments.size()];
      treatment.times.seconds.push_back(seconds_of(options, treatment));
      if (table) table->add(std::string_view(treatment.times.name), repetition, treatment.times.seconds.back());
    }
    if (table) table->flush();
  }
  std::vector<RunTimes> times;
  for (Treatment& treatment : treatments) times.push_back(std::move(treatment.times));
  print_run_times(times, options.seed);
}

}  // namespace laxity::cli
