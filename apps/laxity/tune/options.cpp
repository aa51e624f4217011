// laxity tune: makes rules files from measurements of collectives, checks rules files, and compares run times with them.
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/tune/choices.hpp"
#include "apps/laxity/tune/run.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {
namespace {

constexpr const char* tune_examples = R"(Examples:
  laxity arrival -n 8 --output runs/arrival && laxity tune runs/arrival --output tuned.conf
                                    choose, explain, and write a rules file for the measured MPI
  laxity tune runs/arrival --mpi openmpi6 --output tuned.json --no-delay-output naive.json
  laxity tune runs/mpich --mpich-library /usr/lib/x86_64-linux-gnu/libmpich.so.12 --output tuned.json
                                    insert the choices into MPICH's own selection, which is read from its library
  laxity trace --output runs/app -- mpirun -n 8 ./app && laxity arrival --for runs/app --output runs/arrival
  laxity tune runs/arrival --trace runs/app --traced-output app.conf
                                    choose by the arrival times of the application's processes
  laxity tune check tuned.conf      report errors and warnings in a rules file of any library
  laxity tune apply --measured runs/arrival --trace runs/app -- mpirun -n 8 ./app
                                    compare run times with the library's own choice, the choice without delay, the
                                    robust choice and the choice for the trace, with intervals and verdicts

The library's own choice is kept for each size unless another algorithm was measured to be faster by more than 5 % and by
more than its interval. A choice holds for messages of half to twice the measured size, on the measured number of processes.

Open MPI uses a rules file with OMPI_MCA_coll_tuned_use_dynamic_rules=1 and
OMPI_MCA_coll_tuned_dynamic_rules_filename=FILE; MPICH uses a JSON file with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE
and MPIR_CVAR_DEVICE_COLLECTIVES=none. With --trace, each call of the application counts under the nearest measured pattern,
and the traced choice applies to the application's sizes only. Without it, the traced choice is decided by a pattern called
"application", if that was measured: --pattern-file gives `laxity arrival` a file of `laxity trace export`.
)";

constexpr const char* apply_examples = R"(Examples:
  laxity tune apply --measured runs/arrival -- mpirun -n 8 ./app
                                    the library's own choice, the choice without delay, and the robust choice
  laxity tune apply --measured runs/arrival --trace runs/app --repeat 20 -- mpirun -n 8 ./app
                                    also the choice for the traced arrival times
  laxity tune apply --rules robust=tuned.conf --rules naive=naive.conf -- mpirun -n 8 ./app
                                    existing rules files

The verdict is better or worse if the interval of the ratio is below or above 1, same if it is within 5 % of 1, and otherwise
cannot be told. Only what is better is recommended. Rules files made from measurements are written to the folder rules of the
first run directory, which all hosts must be able to read.
)";

constexpr const char* check_notes = R"(Notes:
Rules that reach beyond what was measured are warnings: those without a lower and an upper bound of the message size, and
those for more or fewer processes. Selection files of MPICH are not checked for this, since they also contain MPICH's own
selection, which has no bounds: nothing tells a choice from it. In the files that `laxity tune` writes for MPICH, each choice
applies to half to twice its measured size on its number of processes, and all other calls keep MPICH's own selection.
)";

void add_choice_options(Command& command, ChoiceOptions& options) {
  command
      .add_option("--mpi", options.mpi,
                  "Library and form: openmpi (4), openmpi5, openmpi6, mpich or intel (default: the measured library)")
      ->one_of(choice_targets());
  command
      .add_option(
          "--mpich-library", options.mpich_library,
          "libmpich.so, or a JSON file with MPICH's own selection (default: the library that laxity was built with)")
      ->type_name("FILE");
  command.add_option("--trace", options.trace, "Trace of the application that decides the traced choices")
      ->type_name("DIR")
      ->existing_directory();
  command.add_option("--traced", options.traced, "Name of the application's pattern in the table")
      ->capture_default_str();
}

void add_check(Command& tune) {
  auto* command = tune.add_subcommand("check", "Report errors and warnings in rules files, with line and column");
  command->footer(check_notes);
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *files, "Rules file of Open MPI, MPICH or Intel MPI")->required()->type_name("FILE");
  command->callback([files] {
    if (!check_rules_files(*files)) throw Exit{1};
  });
}

void add_apply(Command& tune) {
  auto* command = tune.add_subcommand("apply", "Compare run times of a program without rules and with the choices");
  command->footer(apply_examples);
  auto options = std::make_shared<ApplyOptions>();
  command
      ->add_option("--measured", options->choice.runs,
                   "Run directories of `laxity arrival`, whose choices become rules files")
      ->type_name("RUN")
      ->delimiter(',')
      ->existing_directory();
  add_choice_options(*command, options->choice);
  command->add_option("--rules", options->rules, "An existing rules file, with an optional name: robust=tuned.conf")
      ->type_name("[NAME=]FILE");
  command->add_option("--repeat", options->repetitions, "Number of runs of each, in turns")
      ->capture_default_str()
      ->in_range(2, 10'000);
  command->add_option("--seed", options->seed, "Seed of the bootstrap")->capture_default_str();
  command->add_option("--output", options->output, "Table of all run times")->type_name("FILE");
  command->add_flag("--show", options->show, "Show the standard output of the program");
  command->add_option("command", options->command, "The program, after --: mpirun -n 8 ./app")
      ->required()
      ->type_name("COMMAND");
  command->callback([options] { apply_rules(*options); });
}

}  // namespace

void add_tune(Command& app, int, const char* const*) {
  auto* command =
      app.add_subcommand("tune", "Choose the algorithms of collectives that are robust against late arrivals");
  command->footer(tune_examples);
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
    if (!command->has_chosen_subcommand()) write_choices(*options);
  });
}

}  // namespace laxity::cli
