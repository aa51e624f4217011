// laxity study custom: runs and observes any program built with the library.
//
// Elsewhere: the study (run.hpp).
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/study/custom/run.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {

void add_custom_study(Command& app, int argc, const char* const* argv) {
  auto* command =
      app.get_subcommand("study")->add_subcommand("custom", "Run and observe any program built with the library");
  auto options = std::make_shared<CustomOptions>();
  options->argc = argc;
  options->argv = argv;
  command->add_option("program", options->command, "The program and its arguments, after --")->required();
  command->add_option("--vary", options->vary, "NAME=a,b,c: replace {NAME} in the arguments by each of the values");
  command->add_option("--replicates", options->replicates, "Runs of each value")->capture_default_str()->at_least(1);
  command->add_duration("--window", options->window_s, "Duration of a snapshot", {.min_s = 0.01, .max_s = 3600})
      ->capture_default_str();
  command->add_option("--output", options->output, "Run directory; default runs/custom-<time>");
  command->add_flag("--report", options->report, "Write report.html at the end");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->footer(
      "Example:\n  laxity study custom --vary n=1,2,4 --report -- ./my_program --threads {n}\n\n"
      "{run} in the arguments is replaced by the number of the run, for programs that write files.\n"
      "To resume an interrupted study, repeat the command with its --output.\n");
  command->callback([options] {
    if (const int code = run_custom_study(*options); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
