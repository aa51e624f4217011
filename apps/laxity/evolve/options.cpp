// laxity evolve: a world of evolving cells; genomes, made, mutated, inspected and executed.
//
// Elsewhere: the study of worlds (evolve/world_study.hpp), genomes (evolve/run.hpp).
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/evolve/compete.hpp"
#include "apps/laxity/evolve/run.hpp"
#include "apps/laxity/evolve/world_study.hpp"
#include "apps/laxity/launch/team_options.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/program_on_ranks.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/ranks.hpp"
#include "workloads/evolution/genome/genome_file.hpp"

namespace laxity::cli {
namespace {

constexpr const char* run_examples = R"(Examples:
  laxity evolve run --threads 2 --duration 60 --report      a world on two threads, best effort
  laxity evolve run --preset benchmark --workers 1t,2t --mode 0,3 --replicates 5 --report
                                                            the load of the papers, with and without barriers
  laxity evolve run --updates 1000 --seed 7                 one worker: the same digest each time
  laxity evolve run --preset life --print-config > world.toml
  laxity evolve run --config world.toml                     a world with parameters of your own
  laxity evolve run --ancestor first.genome,second.genome   all cells descend from these genomes
  laxity evolve run --updates 9000 --checkpoint w --resume w  continue the world in the directory w
  mpirun -n 4 laxity evolve run --threads 2                 eight workers on four ranks

Modes, by number or name: 0 every-update (barrier), 1 rolling (barrier every 10 ms), 2 fixed (barrier at every full second),
  3 best-effort, 4 isolated (no communication between workers).
To resume an interrupted study, repeat the command with its --output. docs/evolution.md describes the world.
)";

constexpr const char* evolve_examples = R"(Examples:
  laxity evolve run --threads 2 --duration 60 --report   a world of cells with such genomes
  laxity evolve random --length 100 --seed 1 --output ancestor.genome
  laxity evolve show ancestor.genome                     its modules, what starts each, where jumps lead
  laxity evolve trace ancestor.genome --event newborn    every instruction that one virtual CPU executes
  laxity evolve mutate ancestor.genome --births 100 --output child.genome
  laxity evolve compete child.genome ancestor.genome     which of them leaves more descendants
  laxity evolve show child.genome --json                 for other programs

A genome file is text: 24 hexadecimal digits an instruction, with its meaning as a comment. docs/virtual_cpu.md describes the
instructions.
)";

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (std::size_t event = 0; event < evolution::event_count; ++event) {
    names.emplace_back(evolution::name_of(static_cast<evolution::Event>(event)));
  }
  return names;
}

// Options as they were typed.
struct WorldWords {
  TeamWords team;
  bool print_config = false;
};

void add_world_options(Command& command, const std::shared_ptr<WorldStudy>& study) {
  const auto group = "World";
  command.add_option("--preset", study->preset, "Parameters of the world: benchmark (those of the papers) or life")
      ->group(group)
      ->one_of({"benchmark", "life"})
      ->capture_default_str();
  command.add_option("--config", study->configuration, "File that replaces parameters of the preset")
      ->group(group)
      ->type_name("FILE");
  command
      .add_option("--cells", study->cells_per_worker,
                  "Cells per worker, on one torus; by default as the parameters say")
      ->group(group);
  command
      .add_option("--ancestor", study->ancestors,
                  "Genome files, separated by commas: every cell starts with one of them")
      ->delimiter(',')
      ->group(group)
      ->type_name("FILE");
  command.add_option("--seed", study->seed, "Seed of the first replicate; the others use the following seeds")
      ->group(group)
      ->capture_default_str();
  command.add_option("--send-depth", study->send_depth, "Frames in flight to a neighbor, on each layer")
      ->group(group)
      ->capture_default_str()
      ->at_least(1);
  command
      .add_option("--updates", study->updates,
                  "Updates of each worker, instead of a duration; then no snapshots are taken")
      ->group(group);
  command
      .add_duration("--jitter", study->jitter_ns,
                    "Mean of the exponentially distributed additional duration of each update", {.max_s = 1})
      ->group(group)
      ->capture_default_str();
}

void add_run(Command& evolve, int argc, const char* const* argv) {
  Command* command = evolve.add_subcommand("run", "Run a world of cells on workers that do not wait for each other");
  command->footer(run_examples);
  auto study = std::make_shared<WorldStudy>();
  study->argc = argc;
  study->argv = argv;
  auto words = std::make_shared<WorldWords>();
  add_team_options(*command, *study, words->team);
  add_world_options(*command, study);
  const auto group = "Output";
  command
      ->add_duration("--window", study->window_s,
                     "Duration of a quality-of-service snapshot, at most two thirds of the run; 0: no snapshots")
      ->group(group)
      ->capture_default_str();
  command
      ->add_option("--pictures", study->pictures,
                   "Pictures of the world at even intervals, at most, of the first run of the largest team; 0: none")
      ->in_range(0, 200)
      ->group(group)
      ->capture_default_str();
  command
      ->add_flag("--phylogeny", study->phylogeny,
                 "Record all births of that run, as phylogeny.csv in the ALife data standard")
      ->group(group);
  command
      ->add_option("--checkpoint", study->checkpoint,
                   "Directory for checkpoints of the world, at intervals and at the end; for a single run")
      ->group(group)
      ->type_name("DIR");
  command
      ->add_option(
          "--checkpoint-interval", study->checkpoint_interval,
          "Updates of each worker between checkpoints, at which workers wait for each other; 0: only at the end")
      ->group(group)
      ->capture_default_str();
  command
      ->add_option(
          "--resume", study->resume,
          "Continue the world of this checkpoint; the other options as before, --updates counts from the beginning")
      ->group(group)
      ->type_name("DIR");
  command->add_option("--output", study->output, "Run directory; default runs/evolve-<time>")->group(group);
  command->add_flag("--report", study->report, "Write report.html at the end")->group(group);
  command->add_flag("--quiet", study->quiet, "No progress line and no table")->group(group);
  command->add_flag("--print-config", words->print_config, "Print all parameters of the world, and run nothing")
      ->group(group);
  command->callback([study, words] {
    if (words->print_config) {
      print_parameters(*study);
      return;
    }
    run_on_ranks({words->team.threads, 0, ""}, [&](Ranks* ranks) {
      choose_teams(*study, words->team, ranks);
      return run_world_study(*study);
    });
  });
}

void add_random(Command& evolve) {
  auto options = std::make_shared<EvolveRandomOptions>();
  Command* command = evolve.add_subcommand("random", "Write a random genome");
  command->add_option("--length", options->length, "Instructions")->in_range(1, 65535)->capture_default_str();
  command->add_option("--seed", options->seed, "Of the random numbers")->capture_default_str();
  command->add_option("--output", options->output, "File; standard output if it is left out")->type_name("FILE");
  command->callback([options] { write_random_genome(*options); });
}

void add_mutate(Command& evolve) {
  auto options = std::make_shared<EvolveMutateOptions>();
  Command* command = evolve.add_subcommand("mutate", "Write the descendant of a genome after births with mutation");
  command->add_option("file", options->file, "The genome")->required()->type_name("FILE");
  command->add_option("--births", options->births, "One after the other")
      ->in_range(1, 1'000'000)
      ->capture_default_str();
  command->add_option("--level", options->replication_level, "Kin groups that each birth founds anew")
      ->in_range(0, 2)
      ->capture_default_str();
  command->add_option("--max-length", options->max_length, "Longest program, instructions")
      ->in_range(1, 65535)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the random numbers")->capture_default_str();
  command->add_option("--output", options->output, "File; standard output if it is left out")->type_name("FILE");
  command->callback([options] { write_mutated_genome(*options); });
}

void add_show(Command& evolve) {
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Command* command = evolve.add_subcommand("show", "Print the modules of a genome and what starts each");
  command->add_option("file", *file, "The genome")->required()->type_name("FILE");
  command->add_flag("--json", *json, "Print the genome as JSON");
  command->callback([file, json] { show_genome(*file, *json); });
}

void add_trace(Command& evolve) {
  auto options = std::make_shared<EvolveTraceOptions>();
  Command* command = evolve.add_subcommand("trace", "Print every instruction that a virtual CPU executes");
  command->add_option("file", options->file, "The genome")->required()->type_name("FILE");
  Option* event = command->add_option("--event", options->event, "Event that starts the first core")
                      ->one_of(event_names())
                      ->capture_default_str();
  command->add_option("--tag", options->tag, "Tag that starts it instead, hexadecimal")->excludes(event);
  command->add_option("--slices", options->slices, "Slices of 8 instructions")
      ->in_range(1, 1'000'000'000)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the random instructions")->capture_default_str();
  command->callback([options] { trace_genome(*options); });
}

}  // namespace

void add_evolve(Command& app, int argc, const char* const* argv) {
  Command* command = app.add_subcommand("evolve", "Run a world of evolving cells; make and inspect their genomes");
  command->footer(evolve_examples)->require_subcommand(1);
  add_run(*command, argc, argv);
  add_random(*command);
  add_mutate(*command);
  add_show(*command);
  add_trace(*command);
  add_compete(*command);
}

}  // namespace laxity::cli
