// laxity evolve: genomes of the digital evolution workload, made, mutated, inspected and executed.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/evolve/run.hpp"
#include "workloads/evolution/genome/genome_file.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity evolve random --length 100 --seed 1 --output ancestor.genome
  laxity evolve show ancestor.genome                     its modules, what starts each, where jumps lead
  laxity evolve trace ancestor.genome --event newborn    every instruction that one virtual CPU executes
  laxity evolve mutate ancestor.genome --births 100 --output child.genome
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

void add_evolve(Command& app, int, const char* const*) {
  Command* command = app.add_subcommand("evolve", "Make, mutate, inspect and execute genomes of virtual CPUs");
  command->footer(examples)->require_subcommand(1);
  add_random(*command);
  add_mutate(*command);
  add_show(*command);
  add_trace(*command);
}

}  // namespace laxity::cli
