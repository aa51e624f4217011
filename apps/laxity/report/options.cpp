// laxity report, compare and export pass their arguments to the Python package, which has the statistics and the plots.
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/python_interpreter.hpp"

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
    std::string before, after, tolerance = "0.05", rounds = "10", output, history, report;
    bool quality = false, run = false, allow_differences = false;
  };
  auto* compare = app.add_subcommand("compare", "Compare two studies treatment by treatment: better, worse, the same?");
  auto options = std::make_shared<Options>();
  compare->add_option("before", options->before, "Run directory, or a command with --run");
  compare->add_option("after", options->after, "The same, with the same treatments");
  compare->add_flag("--quality", options->quality, "Compare the metrics of quality of service too");
  compare->add_option("--tolerance", options->tolerance, "Largest distance of a ratio from 1 that is no difference")
      ->capture_default_str()
      ->number();
  compare->add_flag("--allow-differences", options->allow_differences,
                    "Compare although machines or durations differ, and say so");
  auto* run = compare->add_flag(
      "--run", options->run, "Run the commands BEFORE and AFTER in turn and compare the pairs: two builds or settings");
  compare->add_option("--rounds", options->rounds, "Runs of each command")->capture_default_str()->number()->needs(run);
  compare->add_option("--output", options->output, "Folder for the run directories of --run")->needs(run);
  auto* page = compare->add_option("--report", options->report, "HTML file: write the comparison as a page, too");
  page->type_name("FILE");
  compare
      ->add_option("--history", options->history, "Folder of run directories, one per commit: since when it is worse")
      ->existing_directory()
      ->excludes(run)
      ->excludes(page);
  compare->footer(
      "For automatic checks: exit code 3 if something is worse by more than the tolerance, 0 if nothing is, 1 after "
      "an\n"
      "error, 2 after wrong usage. Of comparisons in which nothing has changed, one in twenty has a false alarm at "
      "most.\n"
      "Examples:\n"
      "  laxity compare runs/before runs/after --quality --report change.html\n"
      "  laxity compare --run 'old/laxity color --threads 2' 'new/laxity color --threads 2' --output runs/both\n"
      "  laxity compare --history runs/nightly\n");
  compare->callback([options] {
    std::vector<std::string> arguments{"compare", "--tolerance", options->tolerance};
    if (options->quality) arguments.emplace_back("--quality");
    if (options->allow_differences) arguments.emplace_back("--allow-differences");
    if (options->run) arguments.insert(arguments.end(), {"--run", "--rounds", options->rounds});
    if (!options->output.empty()) arguments.insert(arguments.end(), {"--output", options->output});
    if (!options->report.empty()) arguments.insert(arguments.end(), {"--report", options->report});
    if (!options->history.empty()) arguments.insert(arguments.end(), {"--history", options->history});
    for (const std::string& side : {options->before, options->after})
      if (!side.empty()) arguments.push_back(side);
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
