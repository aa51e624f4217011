// laxity report, compare and export pass their arguments to the Python package, which has the statistics and the plots.
#include <memory>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"

namespace laxity::cli {

void add_report(Command& app, int, const char* const*) {
  auto* report = app.add_subcommand("report", "Write report.html for run directories: statistics, plots, tables");
  struct Options {
    std::vector<std::string> directories;
    std::string output;
    bool open = false;
  };
  auto options = std::make_shared<Options>();
  report->add_option("directory", options->directories, "Run directories, as written by `laxity color --output`")
      ->required()
      ->existing_directory()
      ->type_name("DIR");
  report->add_option("--output", options->output, "HTML file (default: report.html in the first directory)")
      ->type_name("FILE");
  report->add_flag("--open", options->open, "Show the report in the browser");
  report->footer("Examples:\n  laxity report runs/first --open\n  laxity report runs/a runs/b --output both.html\n");
  report->callback([options] {
    std::vector<std::string> arguments{"report"};
    arguments.insert(arguments.end(), options->directories.begin(), options->directories.end());
    if (!options->output.empty()) arguments.insert(arguments.end(), {"--output", options->output});
    if (options->open) arguments.emplace_back("--open");
    if (const int code = run_python_laxity(arguments); code != 0) throw Exit{code};
  });
}

void add_compare(Command& app, int, const char* const*) {
  struct Options {
    std::string before, after, tolerance = "0.05";
    bool quality = false;
  };
  auto* compare = app.add_subcommand("compare", "Compare two studies treatment by treatment: ratios with intervals");
  auto options = std::make_shared<Options>();
  compare->add_option("before", options->before, "Run directory")->required()->existing_directory();
  compare->add_option("after", options->after, "Run directory with the same treatments")
      ->required()
      ->existing_directory();
  compare->add_flag("--quality", options->quality, "Compare the metrics of quality of service too");
  compare->add_option("--tolerance", options->tolerance, "Largest distance of a ratio from 1 that is not worse")
      ->capture_default_str()
      ->number();
  compare->footer(
      "For automatic checks: exit code 1 if a whole interval is worse by more than the tolerance.\n"
      "Example:\n  laxity compare runs/before runs/after --quality\n");
  compare->callback([options] {
    std::vector<std::string> arguments{"compare", options->before, options->after, "--tolerance", options->tolerance};
    if (options->quality) arguments.emplace_back("--quality");
    if (const int code = run_python_laxity(arguments); code != 0) throw Exit{code};
  });
}

void add_export(Command& app, int, const char* const*) {
  struct Options {
    std::string directory, format = "csv", output;
  };
  auto* command = app.add_subcommand("export", "Write a study as one CSV, as Parquet, or as a trace for Perfetto");
  auto options = std::make_shared<Options>();
  command->add_option("directory", options->directory, "Run directory")->required()->existing_directory();
  command->add_option("--format", options->format, "csv, parquet, perfetto")
      ->capture_default_str()
      ->one_of({"csv", "parquet", "perfetto"});
  command->add_option("--output", options->output, "Output file (default: export.* in the directory)");
  command->footer("Example:\n  laxity export runs/first --format perfetto\n");
  command->callback([options] {
    std::vector<std::string> arguments{"export", options->directory, "--format", options->format};
    if (!options->output.empty()) arguments.insert(arguments.end(), {"--output", options->output});
    if (const int code = run_python_laxity(arguments); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
