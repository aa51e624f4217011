// laxity phold: the benchmark of parallel event simulation, on one thread or optimistically on many.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "apps/laxity/phold_study.hpp"
#include "apps/laxity/subcommands.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity phold --sequential                       one thread, one queue: the reference
  laxity phold --threads 2 --receivers remote --remote 0.1
                                                  two threads, a tenth of the events goes to the other
  laxity phold --processes 2 --shape batch --report
                                                  two processes, about 20 simultaneous events per process and time
  laxity phold --threads 2 --receivers range --range 10 --optimism adaptive
                                                  receivers nearby, a window after GVT
  laxity phold --threads 2 --exchange mutex --queues 2
                                                  events by queues that the threads share, instead of rings
  laxity phold --check rollback --lps 100         every event again after it was taken back
  laxity phold --sequential --digest; laxity phold --threads 2 --digest
                                                  the same events in both: the digests are equal

--receivers uniform: anywhere. range: d with k - x/2 < d < k + x/2 around the sender k, x of --range (config 1).
  remote: with the probability of --remote in another of --parts equal parts (config 2). The model depends on --parts:
  compare teams of different size with the same. By default there are as many parts as workers, at least two.
A study that was interrupted goes on where it stopped: give it the same options and --output.
)";

// What CLI11 fills before it is checked.
struct Words {
  std::string shape = "continuous", receivers = "uniform", queue = "bucket", optimism = "scale-free";
  std::string exchange = "rings", check;
  std::int64_t queues = 1;
  std::int64_t lps = 10'000, events_per_lp = 20, range = 100, turn = 0, gvt_interval = 0, max_events = 0;
  std::optional<std::int64_t> parts;
  std::optional<double> mean_delay, end_time;
  int threads = 1, processes = 0;
};

void add_team_options(CLI::App& command, PholdStudy& study, phold::Run& run, Words& words) {
  const auto group = "Team";
  auto* sequential = command.add_flag("--sequential", run.sequential, "One thread without rollback: the reference");
  sequential->group(group);
  command.add_option("--threads", words.threads, "Threads (of each process)")
      ->group(group)
      ->capture_default_str()
      ->excludes(sequential);
  command.add_option("--processes", words.processes, "Forked processes")->group(group)->excludes(sequential);
  command.add_option("--replicates", study.replicates, "Runs, each with the next seed")
      ->group(group)
      ->capture_default_str();
}

void add_model_options(CLI::App& command, phold::Run& run, Words& words) {
  const auto group = "Model";
  phold::Options& model = run.model;
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group);
  };
  add("--lps", words.lps, "Logical processes")->capture_default_str();
  add("--events-per-lp", words.events_per_lp, "Events that each of them starts with")->capture_default_str();
  add("--shape", words.shape, "continuous (exponential delays) or batch (whole times, most delays the look-ahead)")
      ->capture_default_str()
      ->check(CLI::IsMember({"continuous", "batch"}));
  add("--receivers", words.receivers, "uniform, range or remote")
      ->capture_default_str()
      ->check(CLI::IsMember({"uniform", "range", "remote"}));
  add("--range", words.range, "x of --receivers range")->capture_default_str();
  add("--remote", model.remote, "Share of events to other parts, for --receivers remote")->capture_default_str();
  add("--parts", words.parts, "Parts of --receivers remote (default: the workers, at least 2)");
  add("--mean-delay", words.mean_delay, "Mean of the exponential part of a delay (default: 10, batch 0.2)");
  add("--lookahead", model.lookahead, "Least delay")->capture_default_str();
  add("--end-time", words.end_time, "Events at or past it are dropped (default: 500, batch 50)");
  add("--seed", run.seed, "Seed; replicates use the following ones")->capture_default_str();
}

void add_engine_options(CLI::App& command, phold::Run& run, Words& words) {
  const auto group = "Engine";
  const timewarp::WorkerOptions defaults;
  words.turn = static_cast<std::int64_t>(defaults.turn);
  words.gvt_interval = static_cast<std::int64_t>(defaults.gvt_interval);
  words.max_events = static_cast<std::int64_t>(defaults.max_events);
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group)->capture_default_str();
  };
  add("--queue", words.queue, "Pending-event set: bucket, heap, ladder, two-tier-ladder, three-tier-heap");
  add("--optimism", words.optimism, "How far beyond GVT a worker goes: none (no limit), adaptive, scale-free")
      ->check(CLI::IsMember({"none", "adaptive", "scale-free"}));
  add("--gvt-interval", words.gvt_interval, "Events that a worker processes between two GVT rounds");
  add("--turn", words.turn, "Events between two looks at what others have sent");
  add("--max-events", words.max_events, "Event records of a worker; at most so much memory is used");
  add("--exchange", words.exchange, "Between threads: rings, or queues behind a mutex, spin-lock, or lock-free")
      ->check(CLI::IsMember({"rings", "mutex", "spin-lock", "lock-free"}));
  add("--queues", words.queues, "Queues of each thread, unless rings; rounded down to a power of two");
  command.add_option("--check", words.check, "Run no simulation; check that the handlers can be rolled back")
      ->group(group)
      ->check(CLI::IsMember({"purity", "rollback"}));
  command.add_flag("--digest", run.options.worker.digest, "A number that says which events were committed")
      ->group(group);
}

void add_output_options(CLI::App& command, PholdStudy& study) {
  const auto group = "Output";
  command.add_option("--output", study.output, "Run directory; runs/phold-<time> if not given")->group(group);
  command.add_flag("--report", study.report, "Write report.html at the end")->group(group);
  command.add_flag("--quiet", study.quiet, "No progress line and no table")->group(group);
}

// Options are read as signed numbers, so that -1 is refused as such and not as a very large one.
std::int64_t in_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return value;
  throw UsageError(std::string(option) + " " + std::to_string(value) + ": must be " + std::to_string(least) + " to " +
                   std::to_string(most));
}

void finish_model(phold::Run& run, const Words& words) {
  const std::map<std::string, phold::Receivers> receivers{
      {"uniform", phold::Receivers::uniform}, {"range", phold::Receivers::range}, {"remote", phold::Receivers::remote}};
  constexpr std::int64_t most_lps = std::int64_t{1} << 26;
  const bool batch = words.shape == "batch";
  run.shape = batch ? phold::Shape::batch : phold::Shape::continuous;
  run.model.logical_processes = static_cast<timewarp::LpId>(in_range("--lps", words.lps, 1, most_lps));
  run.model.events_per_lp = static_cast<int>(in_range("--events-per-lp", words.events_per_lp, 1, 1 << 20));
  run.model.receivers = receivers.at(words.receivers);
  run.model.range = static_cast<timewarp::LpId>(in_range("--range", words.range, 1, most_lps));
  run.model.mean_delay = words.mean_delay.value_or(batch ? 0.2 : 10);
  run.end_time = words.end_time.value_or(batch ? 50 : 500);
  const std::int64_t workers =
      run.sequential ? 1 : std::int64_t{words.threads} * (words.processes > 0 ? words.processes : 1);
  const std::int64_t parts = words.parts.value_or(std::min(words.lps, std::max<std::int64_t>(2, workers)));
  run.model.parts = static_cast<timewarp::LpId>(in_range("--parts", parts, 1, words.lps));
}

void finish_engine(phold::Run& run, const Words& words) {
  const std::map<std::string, timewarp::Optimism> controls{{"none", timewarp::Optimism::none},
                                                           {"adaptive", timewarp::Optimism::adaptive},
                                                           {"scale-free", timewarp::Optimism::scale_free}};
  constexpr std::int64_t many = std::int64_t{1} << 40;
  const auto queue = phold::queue_named(words.queue);
  if (!queue) {
    throw UsageError("--queue " + words.queue + ": must be bucket, heap, ladder, two-tier-ladder or three-tier-heap");
  }
  run.queue = *queue;
  const std::map<std::string, phold::Exchange> exchanges{{"rings", phold::Exchange::rings},
                                                         {"mutex", phold::Exchange::mutex},
                                                         {"spin-lock", phold::Exchange::spin_lock},
                                                         {"lock-free", phold::Exchange::lock_free}};
  run.exchange = exchanges.at(words.exchange);
  run.queues = static_cast<std::size_t>(in_range("--queues", words.queues, 1, 1024));
  run.options.threads = words.threads;
  run.options.processes = words.processes;
  run.options.worker.optimism = controls.at(words.optimism);
  run.options.worker.gvt_interval = static_cast<std::uint64_t>(in_range("--gvt-interval", words.gvt_interval, 1, many));
  run.options.worker.turn = static_cast<std::size_t>(in_range("--turn", words.turn, 1, 1 << 20));
  run.options.worker.max_events =
      static_cast<std::size_t>(in_range("--max-events", words.max_events, 1024, (std::int64_t{1} << 30) - 2));
}

}  // namespace

void add_phold(CLI::App& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("phold", "Simulate PHOLD optimistically on threads and processes");
  command->footer(examples);
  auto study = std::make_shared<PholdStudy>();
  study->argc = argc;
  study->argv = argv;
  auto run = std::make_shared<phold::Run>();
  auto words = std::make_shared<Words>();
  add_team_options(*command, *study, *run, *words);
  add_model_options(*command, *run, *words);
  add_engine_options(*command, *run, *words);
  add_output_options(*command, *study);
  command->callback([study, run, words] {
    finish_model(*run, *words);
    finish_engine(*run, *words);
    if (!words->check.empty()) {
      const auto how = words->check == "purity" ? timewarp::Check::purity : timewarp::Check::rollback;
      std::cout << phold::check_handlers(*run, how) << " events can be rolled back (" << words->check << ")\n";
      return;
    }
    study->treatments = {{.run = *run}};
    study->configuration = configuration_of(*run);
    if (const int code = run_phold_study(*study); code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace laxity::cli
