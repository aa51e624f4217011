// laxity phold: the benchmark of parallel event simulation, on one thread or optimistically on many.
#include <iostream>
#include <memory>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/phold/model_options.hpp"
#include "apps/laxity/phold/run.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/program_on_ranks.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* phold_examples = R"(Examples:
  laxity phold --sequential                       one thread, one queue: the reference
  laxity phold --threads 2 --receivers remote --remote 0.1
                                                  two threads, a tenth of the events goes to the other
  laxity phold --processes 2 --shape batch --report
                                                  two processes, about 20 simultaneous events per process and time
  mpirun -n 4 laxity phold --threads 2            eight workers: four ranks of two threads
  laxity phold --threads 2 --receivers range --range 10 --optimism adaptive
                                                  receivers nearby, a window after GVT
  laxity phold --threads 2 --exchange mutex --queues 2
                                                  events by queues that the threads share, instead of rings
  laxity phold --threads 2 --events shared        an event for the other thread stays where it is instead of being copied
  laxity phold --check rollback --lps 100         every event again after a rollback
  laxity phold --sequential --digest; laxity phold --threads 2 --digest
                                                  the same events in both: the digests are equal
  laxity phold --threads 2 --event-log a          every committed event; laxity timewarp diff compares two logs

--receivers uniform: anywhere. range: d with k - x/2 < d < k + x/2 around the sender k, x of --range (config 1).
  remote: with the probability of --remote in another of --parts equal parts (config 2). The model depends on --parts:
  compare teams of different size with the same. By default there are as many parts as workers, at least two.
A study that was interrupted goes on where it stopped: give it the same options and --output.
)";

void add_output_options(Command& command, PholdStudy& study) {
  const auto group = "Output";
  command.add_option("--output", study.frame.output, "Run directory; runs/phold-<time> if not given")->group(group);
  command.add_flag("--report", study.frame.report, "Write report.html at the end")->group(group);
  command.add_flag("--quiet", study.frame.quiet, "No progress line and no table")->group(group);
}

}  // namespace

void add_phold(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("phold", "Simulate PHOLD optimistically on threads, processes and ranks");
  command->footer(phold_examples);
  auto study = std::make_shared<PholdStudy>();
  study->frame.argc = argc;
  study->frame.argv = argv;
  auto model = std::make_shared<PholdModelOptions>();
  auto engine = std::make_shared<EngineOptions>();
  auto check = std::make_shared<std::string>();
  engine->add_team(*command);
  command->add_option("--replicates", study->frame.replicates, "Runs, each with the next seed")
      ->group("Team")
      ->capture_default_str()
      ->at_least(1);
  model->add(*command);
  engine->add_parts(*command);
  engine->add_event_log(*command);
  engine->add_ranks(*command);
  command->add_option("--check", *check, "Run no simulation; check that the handlers can be rolled back")
      ->group("Engine")
      ->one_of({"purity", "rollback"});
  add_output_options(*command, *study);
  command->callback([study, model, engine, check] {
    if (!check->empty()) {
      const phold::Run run = model->run(engine->engine());
      const auto how = *check == "purity" ? timewarp::Check::purity : timewarp::Check::rollback;
      std::cout << phold::check_handlers(run, how) << " events can be rolled back (" << *check << ")\n";
      return;
    }
    run_on_ranks(engine->rank_options(), [&](Ranks* ranks) {
      const auto prepare = [&] {
        const phold::Run run = model->run(engine->engine(ranks));
        if (!run.engine.options.worker.event_log.empty() && study->frame.replicates > 1)
          throw UsageError("--event-log takes one run: leave out --replicates");
        study->frame.ranks = ranks;
        study->treatments = {{.run = run}};
        study->frame.configuration = configuration_of(run);
      };
      ranks != nullptr ? ranks->agree(prepare) : prepare();
      return run_phold_study(*study);
    });
  });
}

}  // namespace laxity::cli
