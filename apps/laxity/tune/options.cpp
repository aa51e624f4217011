// laxity tune: from measured collectives to files that make an MPI choose other algorithms; check them; try them.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/tune/apply.hpp"
#include "apps/laxity/tune/choices.hpp"
#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity arrival -n 8 --output runs/arrival && laxity tune runs/arrival --output tuned.conf
                                    choose, explain, and write a rules file for the MPI that was measured
  laxity tune runs/arrival --mpi openmpi6 --output tuned.json --no-delay-output naive.json
  laxity tune runs/mpich --mpi mpich-json --mpich-library /usr/lib/libmpich.so --output tuned.json
                                    the choices in MPICH's own selection, which is read from its library
  laxity trace --output runs/app -- mpirun -n 8 ./app && laxity tune runs/arrival --trace runs/app --traced-output app.conf
                                    choose by how the application's processes arrive
  laxity tune check tuned.conf      say what is wrong with a rules file of any library
  laxity tune apply --measured runs/arrival --trace runs/app -- mpirun -n 8 ./app
                                    run times under the library's own choice, that without delay, the robust one and the
                                    one for the trace, in turns, with intervals

Under Open MPI a file is used with OMPI_MCA_coll_tuned_use_dynamic_rules=1 and
OMPI_MCA_coll_tuned_dynamic_rules_filename=FILE; under MPICH JSON with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE
and MPIR_CVAR_DEVICE_COLLECTIVES=none, settings as they are. With --trace each call of the application counts under the measured
pattern that it is most like, and the traced choice is for its sizes only. Or measure the application's mean pattern
itself (laxity trace export, laxity arrival --pattern-file): it is called "application" and has a choice of its own.
)";

constexpr const char* apply_examples = R"(Examples:
  laxity tune apply --measured runs/arrival -- mpirun -n 8 ./app
                                    the library's own choice, that without delay, and the robust one
  laxity tune apply --measured runs/arrival --trace runs/app --repeat 20 -- mpirun -n 8 ./app
                                    also the choice for how this program's processes arrive
  laxity tune apply --rules robust=tuned.conf --rules naive=naive.conf -- mpirun -n 8 ./app
                                    rules files that there are

Files made from measurements stay in the folder rules of the first run directory, which all nodes must see.
)";

struct TuneOptions {
  ChoiceOptions choice;
  std::string output;
  std::string no_delay_output;
  std::string traced_output;
};

void tune(const TuneOptions& options) {
  const Choices choices(options.choice, std::cout);
  choices.explain(std::cout);
  const auto write = [&](const std::string& path, collective::ChoiceKind kind) {
    if (path.empty()) return;
    replace_file(path, choices.text(kind));
    std::cout << "tune: " << path << '\n';
  };
  write(options.output, collective::ChoiceKind::robust);
  write(options.no_delay_output, collective::ChoiceKind::no_delay);
  write(options.traced_output, collective::ChoiceKind::traced);
}

void check(const std::vector<std::string>& files) {
  bool all_well = true;
  for (const std::string& file : files) {
    try {
      const collective::RulesCheck checked = collective::check_rules_file(file);
      for (const collective::RulesWarning& warning : checked.warnings) {
        std::cout << file << ':' << warning.line << ':' << warning.column << ": " << warning.what << '\n';
      }
      all_well = all_well && checked.warnings.empty();
      std::cout << file << ": " << name_of(checked.kind)
                << (checked.warnings.empty() ? ", nothing wrong with it\n" : "\n");
    } catch (const Error& fault) {
      std::cout << fault.what() << '\n';
      all_well = false;
    }
  }
  if (!all_well) throw Exit{1};
}

void add_check(Command& tune) {
  auto* command = tune.add_subcommand("check", "Say what is wrong with rules files, by line and column");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *files, "Of Open MPI, MPICH or Intel MPI")->required()->type_name("FILE");
  command->callback([files] { check(*files); });
}

void add_apply(Command& tune) {
  auto* command = tune.add_subcommand("apply", "Run a program without and with the choices, and compare its run times");
  command->footer(apply_examples);
  auto options = std::make_shared<ApplyOptions>();
  command->add_option("--measured", options->choice.runs, "Run directories of `laxity arrival`: makes the rules files")
      ->type_name("RUN")
      ->delimiter(',')
      ->existing_directory();
  add_choice_options(*command, options->choice);
  command->add_option("--rules", options->rules, "A rules file that there is, with a name for it: robust=tuned.conf")
      ->type_name("[NAME=]FILE");
  command->add_option("--repeat", options->repetitions, "Runs of each, one after the other in turn")
      ->capture_default_str()
      ->in_range(2, 10'000);
  command->add_option("--seed", options->seed, "Of the intervals")->capture_default_str();
  command->add_option("--output", options->output, "A table of all run times")->type_name("FILE");
  command->add_flag("--show", options->show, "Let the program write to the terminal");
  command->add_option("command", options->command, "The program: -- mpirun -n 8 ./app")
      ->required()
      ->type_name("COMMAND");
  command->callback([options] { apply_rules(*options); });
}

}  // namespace

void add_tune(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("tune", "Choose the algorithms that suffer least from late processes");
  command->footer(examples);
  auto options = std::make_shared<TuneOptions>();
  command->add_option("run", options->choice.runs, "Run directories of `laxity arrival`")->type_name("RUN");
  add_choice_options(*command, options->choice);
  command->add_option("--output", options->output, "File of the robust choices")->type_name("FILE");
  command->add_option("--no-delay-output", options->no_delay_output, "File of the choices without delay")
      ->type_name("FILE");
  command->add_option("--traced-output", options->traced_output, "File of the choices for the traced application")
      ->type_name("FILE");
  command->require_subcommand(0, 1);
  add_check(*command);
  add_apply(*command);
  command->callback([command, options] {
    if (!command->has_chosen_subcommand()) tune(*options);
  });
}

}  // namespace laxity::cli
