// laxity report: writes report.html for run directories. The statistics and the pictures are Python's work.
#include <memory>

#include "apps/laxity/python_interpreter.hpp"
#include "apps/laxity/subcommands.hpp"

namespace laxity::cli {

void add_report(CLI::App& app) {
  auto* report = app.add_subcommand("report", "Write report.html for run directories: statistics, plots, tables");
  auto directories = std::make_shared<std::vector<std::string>>();
  report->add_option("directory", *directories, "Run directories, as `laxity color --output` makes them")
      ->required()
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  report->footer("Example:\n  laxity report runs/first\n");
  report->callback([directories] {
    std::vector<std::string> arguments{"report"};
    arguments.insert(arguments.end(), directories->begin(), directories->end());
    if (const int code = run_python_laxity(arguments); code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace laxity::cli
