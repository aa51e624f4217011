// laxity study timewarp: what the queues, the optimism controls, the models and the kinds of worker do to PHOLD.
//
// Elsewhere: what each figure compares (treatments.hpp), how a study runs (phold/run.hpp).
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/phold/run.hpp"
#include "apps/laxity/study/timewarp/treatments.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* timewarp_study_examples = R"(Examples:
  laxity study timewarp --report                  all figures, five replicates, with a report
  laxity study timewarp --figures queues,remote --replicates 10

Figures: queues    pending-event sets, one thread
         optimism  no window, adaptive, scale-free; receivers within 10 to 10,000
         exchange  rings between two threads, or 1, 2, 4 queues a thread behind a mutex, behind a spin lock, lock-free;
                   rings between two processes, or cross memory attach; half of the events go to other parts
         events    copied or shared between two threads, their memory local or interleaved over NUMA nodes; 0.1, 0.5, 0.9 of
                   the events go to other parts
         range     threads, processes, processes with cross memory attach; receivers within 10 to 10,000 (config 1)
         remote    the same and one thread; 0.1 to 0.9 of the events go to other parts (config 2)
Both shapes each. PHOLD's lookahead is ignored, as the engine of the source knows none.
A study that was interrupted goes on where it stopped: give it the same options and --output.
)";

void check(const TimewarpStudyOptions& options) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
  };
  constexpr std::int64_t max_lps = std::int64_t{1} << 26;
  require(options.lps >= 10 && options.lps <= max_lps,
          "--lps " + std::to_string(options.lps) + ": must be 10 to " + std::to_string(max_lps));
  require(options.workers >= 2 && options.workers <= options.lps,
          "--workers " + std::to_string(options.workers) + ": must be 2 to the number of logical processes");
  require(options.events_per_lp >= 1 && options.events_per_lp <= 1 << 20,
          "--events-per-lp " + std::to_string(options.events_per_lp) + ": must be 1 to " + std::to_string(1 << 20));
  // Otherwise a run ends before the first event of some processes.
  const double min_events = 2 * static_cast<double>(options.lps * options.events_per_lp);
  require(options.events >= min_events && options.events <= 1e12,
          fmt::format(
              "--events {}: must be {} to 1e12: twice the events that the logical processes start with, --lps times "
              "--events-per-lp",
              options.events, min_events));
}

Configuration configuration_of(const TimewarpStudyOptions& options) {
  return {{"study", std::string("timewarp")},         {"figures", options.figures},
          {"workers", std::int64_t{options.workers}}, {"lps", options.lps},
          {"events_per_lp", options.events_per_lp},   {"events", options.events}};
}

}  // namespace

void add_timewarp_study(Command& app, int argc, const char* const* argv) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "timewarp", "What queues, optimism control and kinds of worker do to PHOLD");
  command->footer(timewarp_study_examples);
  auto study = std::make_shared<PholdStudy>();
  study->frame.argc = argc;
  study->frame.argv = argv;
  study->frame.name = "timewarp";
  study->frame.replicates = 5;
  auto options = std::make_shared<TimewarpStudyOptions>();
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->capture_default_str();
  };
  add("--figures", options->figures, "Which figures, separated by commas")
      ->delimiter(',')
      ->one_of({"queues", "optimism", "exchange", "events", "range", "remote"});
  add("--replicates", study->frame.replicates, "Runs of each treatment")->at_least(1);
  add("--workers", options->workers, "Threads, or forked processes");
  add("--lps", options->lps, "Logical processes");
  add("--events-per-lp", options->events_per_lp, "Events that each of them starts with");
  add("--events", options->events, "Events of a run, about");
  add("--seed", options->seed, "Seed; replicates use the following ones");
  command->add_option("--output", study->frame.output, "Run directory; runs/timewarp-<time> if not given");
  command->add_flag("--report", study->frame.report, "Write report.html at the end");
  command->add_flag("--quiet", study->frame.quiet, "No progress line and no table");
  command->callback([study, options] {
    check(*options);
    study->treatments = treatments_of(*options);
    study->frame.configuration = configuration_of(*options);
    if (const int code = run_phold_study(*study); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
