#include "apps/laxity/evolve/compete.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/laxity/evolve/world_study.hpp"
#include "laxity/cli/progress_line.hpp"
#include "workloads/evolution/competition/competition.hpp"
#include "workloads/evolution/genome/genome_file.hpp"

namespace laxity::cli {
namespace {

using evolution::CompetitionOptions;
using evolution::CompetitionResult;
using evolution::CompetitionTrial;

constexpr const char* compete_examples = R"(Examples:
  laxity evolve compete evolved.genome ancestor.genome
  laxity evolve compete a.genome b.genome --cells 400 --updates 3000 --replicates 20 --threads 2
  laxity evolve compete a.genome b.genome --json         for other programs

Each world starts with both genomes on random halves of its cells. The relative fitness is the factor by which the ratio of
their descendants grows, with a 95 % interval over worlds. An interval around 1 tells neither.
)";

struct CompeteWords {
  std::string first, second;
  WorldStudy world;  // its parameters
  CompetitionOptions options;
  bool json = false;
  bool quiet = false;
};

const char* verdict_of(const CompetitionResult& result) {
  switch (evolution::fitter(result)) {
    case evolution::Fitter::first:
      return "first";
    case evolution::Fitter::second:
      return "second";
    case evolution::Fitter::cannot_be_told:
      break;
  }
  return "cannot be told";
}

void print_text(const CompeteWords& words, const CompetitionResult& result) {
  const auto& [mean, low, high] = result.log_ratio;
  fmt::print("first: {}\nsecond: {}\n{} worlds of {} cells, {} updates\n\n", words.first, words.second,
             result.trials.size(), words.options.parameters.cells_per_worker, words.options.updates);
  fmt::print("{:>8} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "seed", "first, begin", "second", "first, end", "second",
             "ratio");
  for (const CompetitionTrial& trial : result.trials) {
    fmt::print("{:>8} {:>12} {:>12} {:>12} {:>12} {:>10.3g}\n", trial.seed, trial.begin[0], trial.begin[1],
               trial.end[0], trial.end[1], std::exp(trial.log_ratio()));
  }
  const std::string verdict = verdict_of(result);
  fmt::print("\nrelative fitness of the first: {:.3g}, 95 % interval {:.3g} to {:.3g}\n", std::exp(mean), std::exp(low),
             std::exp(high));
  fmt::print("fitter: {}\n", verdict);
}

// Numbers that are not finite, the ends of the interval of one world, are null.
void print_json(const CompeteWords& words, const CompetitionResult& result) {
  nlohmann::ordered_json worlds = nlohmann::ordered_json::array();
  for (const CompetitionTrial& trial : result.trials) {
    worlds.push_back(
        {{"seed", trial.seed}, {"begin", trial.begin}, {"end", trial.end}, {"log_ratio", trial.log_ratio()}});
  }
  const auto& [mean, low, high] = result.log_ratio;
  const nlohmann::ordered_json all{{"format", 1},
                                   {"first", words.first},
                                   {"second", words.second},
                                   {"cells", words.options.parameters.cells_per_worker},
                                   {"updates", words.options.updates},
                                   {"worlds", worlds},
                                   {"log_ratio", {{"mean", mean}, {"low", low}, {"high", high}}},
                                   {"relative_fitness", std::exp(mean)},
                                   {"fitter", verdict_of(result)}};
  fmt::print("{}\n", all.dump(2));
}

void compete(CompeteWords& words) {
  words.options.parameters = parameters_of(words.world);
  words.options.genomes = {evolution::read_genome_file(words.first), evolution::read_genome_file(words.second)};
  ProgressLine progress(words.quiet || words.json);
  const CompetitionResult result =
      evolution::run_competition(words.options, [&](double fraction) { progress.show(fraction, "worlds"); });
  progress.clear();
  words.json ? print_json(words, result) : print_text(words, result);
}

}  // namespace

void add_compete(Command& evolve) {
  Command* command = evolve.add_subcommand("compete", "Find out which of two genomes leaves more descendants");
  command->footer(compete_examples);
  auto words = std::make_shared<CompeteWords>();
  words->world.cells_per_worker = 400;
  command->add_option("first", words->first, "A genome")->required()->type_name("FILE");
  command->add_option("second", words->second, "The other genome")->required()->type_name("FILE");
  command->add_option("--preset", words->world.preset, "Parameters of the worlds: benchmark or life")
      ->one_of({"benchmark", "life"})
      ->capture_default_str();
  command->add_option("--config", words->world.configuration, "File that replaces parameters of the preset")
      ->type_name("FILE");
  command->add_option("--cells", words->world.cells_per_worker, "Cells of a world")->capture_default_str();
  command->add_option("--updates", words->options.updates, "Updates of a world")
      ->in_range(1, 1'000'000'000)
      ->capture_default_str();
  command->add_option("--replicates", words->options.replicates, "Worlds")->at_least(1)->capture_default_str();
  command->add_option("--seed", words->options.seed, "Of the first world; the others use the following ones")
      ->capture_default_str();
  command->add_option("--threads", words->options.threads, "Worlds that run at the same time")
      ->at_least(1)
      ->capture_default_str();
  command->add_flag("--json", words->json, "Print JSON");
  command->add_flag("--quiet", words->quiet, "No progress line");
  command->callback([words] { compete(*words); });
}

}  // namespace laxity::cli
