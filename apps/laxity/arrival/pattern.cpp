// laxity pattern: writes arrival patterns to files, and plots all eight.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {
namespace {

constexpr const char* pattern_examples = R"(Examples:
  laxity pattern ascending --processes 8 --skew 100us
                                    the delay of each process in seconds, one per line
  laxity pattern random --processes 64 --skew 1ms --seed 7 --output random.txt
  laxity pattern --processes 32 --skew 1ms --plot patterns.svg
                                    plot all eight patterns

NAME is no_delay, ascending, descending, first_delayed, last_delayed, random, bell, half_step or v_shape. The
source of the patterns (Salimi Beni, Cosenza and Hunold) names the first five of the eight with delays; bell, half_step and
v_shape are read from its figure.
)";

struct PatternOptions {
  std::string name;
  int processes = 0;
  double skew_s = 0;
  std::uint64_t seed = 1;
  std::string output;
  std::string plot;
};

// Plots temporary pattern files with the Python package.
void plot_all(const PatternOptions& options) {
  const auto folder = std::filesystem::temp_directory_path() / ("laxity-patterns-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::vector<std::string> arguments{"patterns", "--output", options.plot};
  for (const auto pattern : collective::delaying_patterns) {
    const auto path = folder / (std::string(collective::name_of(pattern)) + ".txt");
    replace_file(path, collective::format_pattern(
                           collective::make_pattern(pattern, options.processes, options.skew_s, options.seed)));
    arguments.push_back(path.string());
  }
  const int code = run_python_laxity(arguments);
  std::filesystem::remove_all(folder);
  if (code != 0) throw Exit{code};
}

void run(const PatternOptions& options) {
  if (options.name.empty() && options.plot.empty()) throw UsageError("expected the NAME of a pattern, or --plot FILE");
  if (!options.name.empty()) {
    const auto text = collective::format_pattern(collective::make_pattern(
        collective::pattern_named(options.name), options.processes, options.skew_s, options.seed));
    if (options.output.empty()) {
      std::cout << text;
    } else {
      replace_file(options.output, text);
    }
  }
  if (!options.plot.empty()) plot_all(options);
}

}  // namespace

void add_pattern(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("pattern", "Write an arrival pattern: the delay of each process in a collective");
  command->footer(pattern_examples);
  auto options = std::make_shared<PatternOptions>();
  command->add_option("name", options->name, "Name of the pattern")->type_name("NAME");
  command->add_option("--processes", options->processes, "Number of processes")->required()->in_range(1, 1 << 24);
  command->add_duration("--skew", options->skew_s, "Largest delay: 100us, 1.5ms, 2s")->required();
  command->add_option("--seed", options->seed, "Seed of the pattern `random`")->capture_default_str();
  command->add_option("--output", options->output, "Output file (default: standard output)")->type_name("FILE");
  command->add_option("--plot", options->plot, "SVG file with a plot of all eight patterns")->type_name("FILE");
  command->callback([options] { run(*options); });
}

}  // namespace laxity::cli
